import type { MarketResult } from './models-market.ts';

export interface About {
  readonly people: number;
  readonly day: string;
}

interface ErrorRow {
  readonly model: string;
  readonly chosen: number;
  readonly unseen: number;
  readonly to_last_touch: number;
  readonly worst_to_last_touch: number;
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
const rounded = (value: number) => Math.round(value * 100) / 100;

/** Errors by model: on the markets used to select models, and on unseen ones. */
export function errorTable(results: readonly MarketResult[]): ErrorRow[] {
  const [chosen, unseen] = [
    results.filter(({ group }) => group === 'chosen'),
    results.filter(({ group }) => group !== 'chosen'),
  ];
  const models = Object.keys(results[0]?.errors ?? {});
  const errorOf = ({ errors }: MarketResult, model: string) => errors[model] ?? Number.NaN;
  const ratio = (result: MarketResult, model: string) => errorOf(result, model) / errorOf(result, 'last_touch');
  return models.map((model) => ({
    model,
    chosen: rounded(mean(chosen.map((result) => errorOf(result, model)))),
    unseen: rounded(mean(unseen.map((result) => errorOf(result, model)))),
    to_last_touch: rounded(mean(unseen.map((result) => ratio(result, model)))),
    worst_to_last_touch: rounded(Math.max(0, ...unseen.map((result) => ratio(result, model)))),
  }));
}

export const publishedFile = (table: readonly ErrorRow[], { people, day }: About): string =>
  [
    '// Written by `npm run bench -- models`.',
    `export const publishedErrors = ${JSON.stringify({ measured_on: day, people_of_a_market: people, rows: table }, null, 2)} as const;`,
    '',
  ].join('\n');

export function errorsPage(
  results: readonly MarketResult[],
  table: readonly ErrorRow[],
  { people, day }: About,
): string {
  const unseen = results.filter(({ group }) => group !== 'chosen');
  const row = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
  const held = results.reduce((sum, result) => sum + result.held[0], 0);
  const heldOf = results.reduce((sum, result) => sum + result.held[1], 0);
  const advice = (name: string) => {
    const of = unseen.map((result) => result.advice[name] ?? { net: 0, changes: 0, wrong: 0 });
    const sum = (field: 'net' | 'changes' | 'wrong') => of.reduce((all, one) => all + one[field], 0);
    const clean = of.filter(({ wrong }) => wrong === 0).length;
    return row([
      name === 'sure' ? 'calibrated, only when 80% sure' : 'last touch',
      sum('changes'),
      sum('wrong'),
      clean,
      Math.round(sum('net')),
    ]);
  };
  return [
    '# How far models are from the truth',
    '',
    'This page shows analysts how far each attribution model is from what ads really caused, in simulated markets with known',
    'incrementality. `npm run bench -- models` generates it.',
    '',
    `Measured on ${day} on ${results.length} demand markets (packages/market), each with ${people.toLocaleString('en')} people and on average`,
    `${Math.round(mean(results.map(({ orders }) => orders))).toLocaleString('en')} orders.`,
    '',
    '- The simulation runs each market again without a campaign, so it is known what the campaign caused.',
    '- The error of a model is its sum of absolute errors over twelve campaigns, divided by what they caused together. 0 is',
    '  the truth. 1 is as far off as claiming that no ad caused anything.',
    '- Models and parameters were selected on the chosen seeds, and are evaluated on unseen seeds. In three of the unseen',
    '  markets the kind of market was also drawn at random, by a rule that was written before.',
    '- "To last touch" is the error divided by that of last touch, on unseen seeds.',
    '',
    row(['model', 'chosen seeds', 'unseen seeds', 'to last touch', 'worst market']),
    row(['---', '---', '---', '---', '---']),
    ...table.map((one) => row([one.model, one.chosen, one.unseen, one.to_last_touch, one.worst_to_last_touch])),
    '',
    '`calibrated` is `data_driven` with an assumed factor for brand search and four user-level holdout experiments. They',
    'tested the campaigns with the largest uncertainty in money.',
    '',
    `- Its 90% intervals contained the truth for ${held} of ${heldOf} campaigns.`,
    `- Geo experiments without any change reported an effect in ${(100 * mean(results.map(({ falseAlarms }) => falseAlarms))).toFixed(1)}% of cases, at a level of 10%.`,
    '',
    '## Market by market',
    '',
    row(['seed', 'kind', 'orders', 'caused by ads', 'last touch', 'data_driven', 'ratio', 'calibrated', 'ratio']),
    row(['---', '---', '---', '---', '---', '---', '---', '---', '---']),
    ...results.map(({ seed, group, orders, causedShare, errors }) => {
      const of = (model: string) => errors[model] ?? Number.NaN;
      const ratio = (model: string) => (of(model) / of('last_touch')).toFixed(2);
      const share = `${Math.round(100 * causedShare)}%`;
      return row([
        seed,
        group,
        orders,
        share,
        of('last_touch').toFixed(2),
        of('data_driven').toFixed(2),
        ratio('data_driven'),
        of('calibrated').toFixed(2),
        ratio('calibrated'),
      ]);
    }),
    '',
    '## Result of following the advice',
    '',
    `On the ${unseen.length} unseen markets, each campaign's budget was changed by 30% as advised. Then the market was simulated again.`,
    'The net gain is the additional value of purchases minus the additional spend.',
    '',
    row(['advice', 'changes', 'wrong direction', `markets without a wrong change, of ${unseen.length}`, 'net gain']),
    row(['---', '---', '---', '---', '---']),
    advice('last_touch'),
    advice('sure'),
    '',
    '## Limits',
    '',
    '- Paths do not show whether a click on a brand ad would have come without the ad, nor the effect of views. The factor',
    '  for brand search is an assumption; an experiment replaces it.',
    '- If brand search matters more than assumed, `calibrated` can be further off than `data_driven`. So test brand search',
    '  first.',
    '- Intervals called `sampling` come from resampling. They cover sampling noise only, not bias. Only calibrated figures',
    '  have intervals that estimate the truth.',
    '- Advice is at least 80% sure of each campaign separately, so some of many changes can be wrong. On the seven markets',
    '  used for selection, 3 of 57 changes were wrong.',
    '- A stricter rule does not help. Requiring 80% for all changes together left 32 changes, 2 of them wrong, and a fifth',
    '  less gain. Requiring 90% left 22 changes, 1 of them wrong, and less gain than last touch.',
    '- The wrong changes came from misleading experiments and from an untested search campaign. More experiments help.',
    '- Markov and Shapley are included because they are well known.',
    '- The markets are simulated. Auctions and competitors do not react in them. Trust a real experiment over these figures.',
    '',
  ].join('\n');
}
