import {
  experimentKindNames,
  experimentRefusals,
  experimentStates,
  limits,
  namesOf,
  powerVerdicts,
} from '@tributary/vocabulary';
import { z } from 'zod';
import { CalendarDate, data, IsoTimestamp, limitParameter, Name, page, Uuid } from '../primitives.ts';
import { anyOf, route } from '../route.ts';
import { Count } from './report-parts.ts';

/** Incrementality tests of ads. */

const chapter = 'Experiments';
const credentials = ['api_key', 'app', 'session', 'mcp'] as const;
const read = { credentials, scopes: anyOf('campaigns:read'), grain: 'profile' } as const;
const write = { credentials: ['api_key', 'app', 'session'], scopes: anyOf('goals:write'), grain: 'profile' } as const;
const { days, coolDownDays, regions, validDays, entities, max } = limits.experiments;
const reasons = namesOf(experimentRefusals)
  .map((reason) => `\`${reason}\`: ${experimentRefusals[reason]}`)
  .join(' ');

const Percent = z.number().min(-100).max(10_000);

const Readout = z
  .strictObject({
    lift_pct: z.number().describe('How much more was bought with the ads than without.'),
    low_pct: z.number().describe('Of 90 in a hundred. Of a test by regions it is found by drawing the lots again.'),
    high_pct: z.number(),
    chance: z.number().nullable().describe('How often lots alone would say so much or more. Null: not told.'),
    source: z.string().nullable().describe('Who measured it, where it was not us.'),
  })
  .meta({ id: 'ExperimentReadout' });

const Power = z
  .strictObject({
    smallest_effect_pct: z
      .number()
      .describe('What the test would notice in four of five cases, to go by the same readout of days before.'),
    expected_effect_pct: Percent,
    verdict: z.enum(powerVerdicts),
    regions: Count,
    purchases_before: Count,
  })
  .meta({ id: 'ExperimentPower' });

const Experiment = z
  .strictObject({
    id: Uuid,
    name: z.string(),
    kind: z.enum(experimentKindNames),
    state: z.enum(experimentStates),
    entity_ids: z.array(Uuid),
    starts_on: CalendarDate,
    ends_on: CalendarDate.describe('The last day on which the ads are off.'),
    readable_from: CalendarDate.describe('When it can be read: after its days and the cool-down.'),
    held_out_regions: z.array(z.string()).describe('Where the ads are to be off. Everywhere else they run as ever.'),
    power: Power.nullable(),
    readout: Readout.nullable().describe('Null until it has ended: nobody looks before.'),
    void_reason: z.string().nullable(),
    created_at: IsoTimestamp,
    started_at: IsoTimestamp.nullable(),
    ended_at: IsoTimestamp.nullable(),
  })
  .meta({ id: 'Experiment' });

const shared = {
  chapter,
  params: z.object({ id: Uuid }),
  ids: { id: 'experiment' },
} as const;

const Tested = {
  name: Name.meta({ examples: ['Does brand search earn anything?'] }),
  entity_ids: z
    .array(Uuid)
    .min(1)
    .max(entities)
    .meta({ examples: [['0197a000-0000-5000-8000-000000000001']] })
    .describe('Our ids of the campaigns, ad sets or ads that are tested.'),
  date_from: CalendarDate.meta({ examples: ['2026-06-01'] }).describe('The first day.'),
};

export const createExperiment = route({
  id: 'createExperiment',
  method: 'POST',
  path: '/api/v1/experiments',
  summary: 'Plan a test of what ads cause, or tell of one that somebody else ran',
  description:
    'A test by `regions` becomes a draft: regions with purchases are paired by size, one of each pair is held out by lot, and the power says what the test would notice. An `external` test is told with what it found and has ended at once. ' +
    `At most ${max} tests are kept. ${reasons}`,
  chapter,
  access: write,
  audit: { action: 'experiment.created', of: 'experiment:{data.id}' },
  ids: { entity_ids: 'ad_entity' },
  idempotency: 'accepted',
  body: {
    schema: z.discriminatedUnion('kind', [
      z.strictObject({
        ...Tested,
        kind: z.literal('external'),
        date_to: CalendarDate.meta({ examples: ['2026-06-28'] }).describe('The last day.'),
        lift_pct: Percent.meta({ examples: [4.2] }),
        low_pct: Percent.meta({ examples: [1.1] }),
        high_pct: Percent.meta({ examples: [7.3] }),
        spend: z
          .number()
          .positive()
          .max(1e12)
          .meta({ examples: [1_200] })
          .describe('What was tested, in the reporting currency.'),
        source: z
          .string()
          .trim()
          .min(1)
          .max(200)
          .meta({ examples: ['Conversion lift study of the platform'] }),
      }),
      z.strictObject({
        ...Tested,
        kind: z.literal('regions'),
        days: z.int().min(days.min).max(days.max).default(28),
        cool_down_days: z
          .int()
          .min(0)
          .max(coolDownDays.max)
          .default(7)
          .describe('How long what the ads did before may still show.'),
        expected_effect_pct: Percent.positive()
          .meta({ examples: [8] })
          .describe(
            'How much of what is bought you believe they cause. A test that could not notice as much is not started.',
          ),
        exclude_regions: z.array(z.string().max(10)).max(regions.max).default([]),
      }),
    ]),
  },
  refusals: ['invalid_state', 'not_found'],
  answers: { 201: { schema: data(Experiment) } },
});

export const listExperiments = route({
  id: 'listExperiments',
  method: 'GET',
  path: '/api/v1/experiments',
  summary: 'Tests, the newest first',
  reveals: { days: 'any', people: 'none', costs: true },
  chapter,
  access: read,
  query: z.object({
    limit: limitParameter(limits.experiments.pageSize),
    cursor: Uuid.optional().describe('From the page before.'),
  }),
  answers: { 200: { schema: page(Experiment) } },
});

export const readExperiment = route({
  ...shared,
  id: 'readExperiment',
  method: 'GET',
  path: '/api/v1/experiments/{id}',
  summary: 'A test: its plan, and once it has ended what it found',
  reveals: { days: 'any', people: 'none', costs: true },
  access: read,
  answers: { 200: { schema: data(Experiment) } },
});

export const startExperiment = route({
  ...shared,
  id: 'startExperiment',
  method: 'POST',
  path: '/api/v1/experiments/{id}/start',
  summary: 'Start a planned test',
  description: `Switch the ads off in the held-out regions yourself, from date_from on. ${reasons}`,
  access: write,
  audit: { action: 'experiment.started', of: 'experiment:{params.id}' },
  idempotency: 'accepted',
  refusals: ['invalid_state'],
  answers: { 200: { schema: data(Experiment) } },
});

export const stopExperiment = route({
  ...shared,
  id: 'stopExperiment',
  method: 'POST',
  path: '/api/v1/experiments/{id}/stop',
  summary: 'End a test and read it',
  description:
    'Once its days and the cool-down are over: the lots are drawn again to find the error, and what was found is kept. ' +
    `Ads under what was tested have the truth grade \`lift\` and are \`calibrated\` for ${validDays} days, while their spend stays near the tested one. ${reasons}`,
  access: write,
  audit: { action: 'experiment.ended', of: 'experiment:{params.id}' },
  idempotency: 'accepted',
  refusals: ['invalid_state'],
  answers: { 200: { schema: data(Experiment) } },
});

export const voidExperiment = route({
  ...shared,
  id: 'voidExperiment',
  method: 'POST',
  path: '/api/v1/experiments/{id}/void',
  summary: 'Give a test up: it proves nothing, and never will',
  access: write,
  audit: { action: 'experiment.voided', of: 'experiment:{params.id}' },
  idempotency: 'accepted',
  body: {
    schema: z.strictObject({
      reason: z
        .string()
        .trim()
        .min(1)
        .max(500)
        .meta({ examples: ['The ads kept running.'] }),
    }),
  },
  refusals: ['invalid_state'],
  answers: { 200: { schema: data(Experiment) } },
});
