import {
  estimateRefusals,
  estimatingModelNames,
  estimatingModels,
  fitRefusals,
  fitStates,
  intervalBases,
  limits,
  namesOf,
  tacticNames,
} from '@tributary/vocabulary';
import { z } from 'zod';
import {
  CalendarDate,
  CurrencyCode,
  DateRange,
  data,
  dateRangeFaults,
  IsoTimestamp,
  limitParameter,
  page,
  Uuid,
} from '../primitives.ts';
import { anyOf, route } from '../route.ts';
import { EntityLevel } from '../vocabulary.ts';
import { access, Count, Money } from './report-parts.ts';

/** Models that are fitted to a profile's own data. */

const chapter = 'Fitted models';
const thin = limits.models;

const Fit = z
  .strictObject({
    id: Uuid,
    state: z.enum(fitStates),
    reason: z.enum(namesOf(fitRefusals)).nullable().describe('Why it was refused.'),
    requested_at: IsoTimestamp,
    finished_at: IsoTimestamp.nullable(),
    credited_from: IsoTimestamp.nullable().describe('Purchases from here on were credited.'),
    credited_until: IsoTimestamp.nullable(),
    purchases: Count.nullable(),
    seen_pct: z
      .number()
      .nullable()
      .describe('How much of their value has any known touch. Nothing is scaled up by it.'),
    people: Count.nullable().describe('Those whose visits were learned from, buyers or not.'),
    fingerprints: z
      .record(z.string(), z.string())
      .nullable()
      .describe('Of what each model learned: a fit of the same data has the same.'),
  })
  .meta({ id: 'ModelFit' });

const Refusal = z.enum(estimateRefusals);
const Tactic = z
  .enum(tacticNames)
  .meta({ examples: ['brand'] })
  .describe('What a campaign does.');

export const readModels = route({
  id: 'readModels',
  method: 'GET',
  path: '/api/v1/models',
  summary: 'Fitted models, how they stand, and how wrong they are known to be',
  description:
    'Besides the attribution models of every report there are models that learn from a profile’s own data. They leave a rest that would have come anyway, and there is no ' +
    'figure where there is too little to learn from. `errors` is what each model was off in simulated markets whose truth is known; docs/models.md says how.',
  reveals: { days: 'any', people: 'none', costs: true },
  chapter,
  access,
  answers: {
    200: {
      schema: data(
        z.strictObject({
          models: z.array(
            z.strictObject({
              model: z.enum(estimatingModelNames),
              description: z.string(),
              refusal: Refusal.nullable().describe('Why it gives no figure now. Null: it does.'),
            }),
          ),
          latest_fit: Fit.nullable().describe('The one that was asked for last, however it stands.'),
          served_fit: Fit.nullable().describe('The one that figures come from.'),
          changed_at: IsoTimestamp.nullable().describe(
            'When a purchase was last recorded or changed. Where that is after `requested_at` of the served fit, the figures do not know it yet; the next night fits anew.',
          ),
          errors: z
            .strictObject({
              measured_on: CalendarDate,
              people_of_a_market: Count,
              rows: z.array(
                z.strictObject({
                  model: z.string(),
                  chosen: z.number().describe('On markets that the models were chosen by. 0 is the truth.'),
                  unseen: z.number().describe('On markets that nobody had looked at.'),
                  to_last_touch: z.number().describe('The error on unseen markets, divided by that of last touch.'),
                  worst_to_last_touch: z.number(),
                }),
              ),
            })
            .describe('The sum over campaigns of what a model is off, divided by the sum of what they caused.'),
        }),
      ),
    },
  },
});

export const createModelFit = route({
  id: 'createModelFit',
  method: 'POST',
  path: '/api/v1/models/fits',
  summary: 'Have the models fitted anew',
  description:
    `Learns from the touches of the last ${thin.touchDays} days, of up to ${thin.people.toLocaleString('en')} people chosen by hash, those who never bought among them, and credits the purchases ` +
    `of the last ${thin.purchaseDays}. GET /models says when it is done. Every night the models are fitted anew where purchases were recorded or changed since. Nothing is left to chance: the same data gives the same figures. While a fit waits or runs, asking again gives that one. It is refused ` +
    `below ${thin.purchases.toLocaleString('en')} purchases (\`too_thin\`) and where less than ${thin.seenPct}% of their value has any known touch (\`too_little_seen\`).`,
  chapter,
  audit: 'not needed: it changes nothing but what models say',
  access: { credentials: ['api_key', 'app', 'session'], scopes: anyOf('attribution:write'), grain: 'profile' },
  idempotency: 'natural',
  answers: { 202: { schema: data(Fit) } },
});

const Estimate = z
  .strictObject({
    entity_id: Uuid,
    external_id: z.string(),
    name: z.string().nullable(),
    outcome_value: Money.describe('What it caused, as the model says.'),
    outcome_value_low: Money.describe('Of 90 in a hundred, from `interval_basis`.'),
    outcome_value_high: Money,
    interval_basis: z
      .enum(intervalBases)
      .describe(
        '`sampling`: how far chance could move the figure if the model were right, which says nothing of the truth. `calibrated`: where the truth lies, as far as experiments and ' +
          'how wrong paths are known to be can tell.',
      ),
    tactic: z
      .enum(tacticNames)
      .nullable()
      .describe(
        'What the campaign is taken to do: as somebody said, or else by its name and channel. Campaigns of one tactic learn from each other’s experiments. Null: the model does not ask.',
      ),
    is_tested: z.boolean().describe('An experiment on it, or on what it belongs to, moved the figure.'),
    purchases: Count.describe('Purchases that it has a share in.'),
    models_disagree: z
      .boolean()
      .describe('The largest of this model, first touch and last touch is more than three times the smallest.'),
  })
  .meta({ id: 'Estimate' });

export const listModelCampaigns = route({
  id: 'listModelCampaigns',
  method: 'GET',
  path: '/api/v1/models/{model}/campaigns',
  summary: 'What campaigns, ad sets or ads caused, as a fitted model says',
  description:
    'Rows by what they are given, the largest first. What entities, other sources and nobody get adds up to all purchases of the days, to the minor unit: `meta` has the sums. Figures are those of the fit, and ' +
    `change with the next. 409 \`invalid_state\` with the reason where there is none: \`no_fit\`, \`stale\` (older than ${thin.freshDays} days), \`too_thin\`, \`too_little_seen\`, \`outside_fit\` for days that were not credited, or of \`calibrated\` \`no_test\`: ` +
    `it rests on experiments that ended in the last ${limits.experiments.validDays} days at about the spend of today. What they found beyond what paths show is taken from what nobody was given.`,
  reveals: { days: 'requested', people: 'none', costs: true },
  chapter,
  access,
  params: z.object({
    model: z
      .enum(estimatingModelNames)
      .describe(estimatingModelNames.map((model) => `\`${model}\`: ${estimatingModels[model].description}`).join(' ')),
  }),
  query: DateRange.safeExtend({
    level: EntityLevel.default('campaign'),
    limit: limitParameter(thin.pageSize),
    cursor: z.string().max(200).optional().describe('From the page before.'),
  }),
  refusedAs: dateRangeFaults,
  refusals: ['invalid_state'],
  answers: {
    200: {
      schema: page(Estimate, {
        date_from: CalendarDate,
        date_to: CalendarDate,
        currency: CurrencyCode,
        model: z.enum(estimatingModelNames),
        level: EntityLevel,
        fit_id: Uuid,
        fitted_at: IsoTimestamp,
        seen_pct: z.number().describe('How much of the value of the fit’s purchases has any known touch.'),
        tests: z.array(Uuid).describe('Experiments that moved the figures.'),
        purchases: Count,
        total: Money.describe('All that was bought.'),
        to_entities: Money.describe('What all entities of the level are given, on this page or not.'),
        to_other_sources: Money.describe(
          'What brought people without an entity of the level: unpaid visits and the like.',
        ),
        would_have_come: Money.describe('What nothing on the path caused.'),
        without_touch: Money.describe('Of purchases of whose buyers no touch is known.'),
      }),
    },
  },
});

export const sayTactic = route({
  id: 'sayTactic',
  method: 'PUT',
  path: '/api/v1/models/tactics/{entity_id}',
  summary: 'Say what a campaign does',
  description:
    'Which campaigns learn from each other’s experiments, and how much of the credit of such campaigns is taken to be caused before any: of `brand` search little, because most would have found the shop anyway. ' +
    'Without it the name and the channel of a campaign are gone by. It changes `calibrated` figures alone.',
  chapter,
  access: { credentials: ['api_key', 'app', 'session'], scopes: anyOf('goals:write'), grain: 'profile' },
  audit: { action: 'campaign.tactic_said', of: 'ad_entity:{params.entity_id}' },
  params: z.object({ entity_id: Uuid }),
  ids: { entity_id: 'ad_entity' },
  idempotency: 'natural',
  body: { schema: z.strictObject({ tactic: Tactic }) },
  refusals: ['not_found'],
  answers: { 200: { schema: data(z.strictObject({ entity_id: Uuid, tactic: Tactic })) } },
});
