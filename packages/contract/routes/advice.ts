import { adviceActions, adviceReasons, estimatingModelNames, limits } from '@tributary/vocabulary';
import { z } from 'zod';
import { CurrencyCode, data, IsoTimestamp, Uuid } from '../primitives.ts';
import { route } from '../route.ts';
import { access, Count, Money } from './report-parts.ts';

/** Budget recommendations. */

const { sureness, stepPct, rows, adSets } = limits.advice;

const decimal = (least: number, most: number, example: number) =>
  z
    .string()
    .meta({ examples: [String(example)] })
    .regex(/^\d{1,3}(\.\d{1,6})?$/, 'must be a number')
    .transform(Number)
    .refine((value) => value >= least && value <= most, `must be from ${least} to ${most}`);

const AdviceRequest = z
  .strictObject({
    method: z.literal('POST'),
    path: z.string().describe('Of the route that changes the budget of an ad set.'),
    body: z.strictObject({
      daily_budget_minor: z
        .int()
        .describe('What the daily budget would be, in minor units of the ad account’s currency.'),
      dry_run: z.literal(true).describe('Shows what would change. Nothing is changed until it is sent without.'),
    }),
    ad_set_name: z.string().describe('What the platform calls the ad set.'),
    from_minor: z.int().describe('The daily budget as it was told last.'),
    currency: CurrencyCode,
  })
  .meta({ id: 'AdviceRequest' });

const Advice = z
  .strictObject({
    entity_id: Uuid,
    external_id: z.string(),
    name: z.string().nullable(),
    action: z.enum(adviceActions).describe('Of the budget.'),
    chance: z.number().describe('How sure it is that this is the right direction, as a part of 1.'),
    step_pct: z.number().describe('By how much of the budget.'),
    spend: Money.describe('What it cost in the days of the fit.'),
    caused: Money.describe('What it caused in them.'),
    caused_low: Money.describe('Of 90 in a hundred.'),
    caused_high: Money.describe('Of 90 in a hundred.'),
    break_even: Money.describe('What it had to cause to pay for itself at the margin that was told.'),
    net_a_day: Money.describe(
      'What the step would bring a day after its cost, if the next money does as well as the last. Within this step only: further away nobody has measured.',
    ),
    tests: z
      .array(Uuid)
      .describe('Experiments on it. Empty: it is judged by paths, and by how wrong those are known to be.'),
    requests: z
      .array(AdviceRequest)
      .max(adSets)
      .describe('Ready to be sent, as dry runs. Empty where no ad set of it is known to have a budget of its own.'),
  })
  .meta({ id: 'Advice' });

export const readAdvice = route({
  id: 'readAdvice',
  method: 'GET',
  path: '/api/v1/advice',
  summary: 'Which budgets to raise or lower, where that is sure',
  description:
    'A campaign is spoken of only where what it caused lies on one side of what it has to cause, as surely as asked for: by the calibrated model, or without a test by the data-driven one and how wrong paths are known to be. ' +
    `Those of which most is to be gained come first, up to ${rows}. Nothing is ever changed by it: \`requests\` are for POST /adsets/{id}/budget, with \`dry_run\`. Where there is no advice, \`meta.reason\` says why.`,
  reveals: { days: 'any', people: 'none', costs: true },
  chapter: 'Fitted models',
  access,
  query: z.object({
    margin_pct: decimal(1, 100, 40)
      .meta({ examples: ['40'] })
      .describe(
        'How much of what is paid is left after the goods, in percent. Without it nobody knows when an ad pays.',
      ),
    sureness: decimal(sureness.min, sureness.max, sureness.default)
      .default(sureness.default)
      .describe(`As a part of 1, from ${sureness.min} to ${sureness.max}; ${sureness.default} when absent.`),
    max_step_pct: decimal(stepPct.min, stepPct.max, stepPct.default)
      .default(stepPct.default)
      .describe(
        `By how much of a budget at most, from ${stepPct.min} to ${stepPct.max}; ${stepPct.default} when absent.`,
      ),
  }),
  answers: {
    200: {
      schema: data(z.array(Advice).max(rows), {
        model: z.enum(estimatingModelNames).describe('What it rests on.'),
        currency: CurrencyCode,
        fitted_at: IsoTimestamp.nullable().describe('When the models learned. Null: never.'),
        judged: Count.describe('Campaigns that cost something lately and were judged.'),
        left_alone: Count.describe('Those of them of which nobody can be as sure.'),
        reason: z.enum(adviceReasons).nullable().describe('Why there is no advice. Null: there is some.'),
      }),
    },
  },
});
