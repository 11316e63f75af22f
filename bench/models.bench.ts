import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDemandMarket, randomNature } from '@tributary/market';
import type { Bench } from '@tributary/testkit';
import { type MarketResult, tryMarket } from './models-market.ts';
import { errorsPage, errorTable, publishedFile } from './models-page.ts';

const people = Number(process.env.BENCH_PEOPLE ?? 120_000);
const seedsOf = (name: string, fallback: string) =>
  (process.env[name] ?? fallback).split(',').filter(Boolean).map(Number);
/** Models and their parameters were selected on these. */
const chosen = seedsOf('BENCH_CHOSEN', '1,2,3,4');
/** None of these was used for selection; for the last three even the kind of world was drawn at random. */
const unseen = seedsOf('BENCH_UNSEEN', '101,102,103,104,105,106,107');
const drawn = seedsOf('BENCH_DRAWN', '201,202,203');

const root = join(import.meta.dirname, '..');

/** Evaluates models on worlds with known effects. Writes docs/models.md and the error table that GET /models returns. */
export const bench: Bench = {
  name: 'models',
  question:
    'How far is data_driven from what campaigns caused, to last touch, in demand markets whose seeds nobody chose by?',
  better: 'lower',

  async run({ progress }) {
    const all = [
      ...chosen.map((seed) => ({ seed, group: 'chosen' as const })),
      ...unseen.map((seed) => ({ seed, group: 'unseen' as const })),
      ...drawn.map((seed) => ({ seed, group: 'drawn' as const })),
    ];
    const results: MarketResult[] = [];
    for (const [index, { seed, group }] of all.entries()) {
      const nature = group === 'drawn' ? { nature: randomNature(seed) } : {};
      results.push(tryMarket(openDemandMarket({ seed, people, ...nature }), group));
      progress(index + 1, all.length, `markets, ${group} ${seed}`);
    }
    const about = { people, day: new Date().toISOString().slice(0, 10) };
    const table = errorTable(results);
    writeFileSync(join(root, 'docs/models.md'), errorsPage(results, table, about));
    writeFileSync(join(root, 'packages/rules/attribution/fitted/published.generated.ts'), publishedFile(table, about));
    const tested = results.filter(({ group }) => group !== 'chosen');
    const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    const ratios = tested.map(({ errors }) => (errors.data_driven ?? 0) / (errors.last_touch ?? 1));
    const round = (value: number) => Math.round(value * 1_000) / 1_000;
    return {
      ratio: round(mean(ratios)),
      ratio_worst: round(Math.max(...ratios)),
      ratio_calibrated: round(mean(tested.map(({ errors }) => (errors.calibrated ?? 0) / (errors.last_touch ?? 1)))),
      false_alarms: round(mean(results.map(({ falseAlarms }) => falseAlarms))),
      markets: tested.length,
      orders: Math.round(mean(results.map(({ orders }) => orders))),
      people,
    };
  },
};
