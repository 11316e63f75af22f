import { limits, outcomeProviders, saleSourceKinds, uncountedReasons, uuidPattern } from '@tributary/vocabulary';
import { z } from 'zod';
import { CurrencyCode, DecimalString, IsoTimestamp, Uuid } from '../primitives.ts';
import { anyOf } from '../route.ts';
import { MatchDecision, MatchEvidence, MatchState, OverlapDecision, OverlapEffect } from '../vocabulary.ts';

/** Shared by the routes of sales: matches of payments across sources, and the sources. */

export const chapter = 'Sales';
export const Count = z.int().min(0);
export const { pageSize, windowMinutes, decidedAtOnce, countedPerSource } = limits.sales;

export const read = {
  credentials: ['api_key', 'app', 'session', 'mcp'],
  scopes: anyOf('commerce:read'),
  grain: 'profile',
} as const;
export const write = { ...read, scopes: anyOf('attribution:write') } as const;

const sourcePattern = new RegExp(`^[a-z0-9][a-z0-9_-]{0,39}(:${uuidPattern})?$`);
export const SourceKey = z
  .string()
  .regex(sourcePattern, 'must be a source of GET /sale-sources')
  .describe('A source: `api`, `import` or `browser`, or a provider and its connection, separated by a colon.')
  .meta({ examples: ['payments_a:0d1f9c3e-6f1e-4b5a-8f0a-1c2d3e4f5a6b', 'api'] });

const providers = [...outcomeProviders, 'manual'] as const;
const Provider = z.enum(providers).describe('`manual`: your own server, files or pages.');

export const SaleRecord = z
  .strictObject({
    id: Uuid.describe('The `payment_id`.'),
    provider: Provider,
    external_id: z.string().describe('The provider’s id of the payment; for `manual` its idempotency key.'),
    amount: DecimalString,
    currency: CurrencyCode,
    paid_at: IsoTimestamp,
    counted: z.boolean().describe('Whether reports count this record.'),
    not_counted_because: z.enum(uncountedReasons).nullable(),
    source: SourceKey,
    connection_id: Uuid.nullable(),
  })
  .meta({ id: 'SaleRecord' });

export const SaleMatch = z
  .strictObject({
    id: Uuid.describe('Changes when the match changes. Earlier ids remain valid in every route.'),
    state: MatchState.describe(
      '`automatic`: counted once by the rules. `suggested`: counted twice until a member confirms it. `confirmed` and `rejected`: decided by a member.',
    ),
    evidence: MatchEvidence,
    reference: z.string().nullable().describe('The reference that both records carry.'),
    seconds_apart: z.number().min(0),
    is_certain: z
      .boolean()
      .describe('Whether it counts once without systematic overlap of the two sources, because of its reference.'),
    is_pending: z.boolean().describe('Whether a change of it is still being applied to reports.'),
    records: z.tuple([SaleRecord, SaleRecord]).describe('The earlier one first.'),
    decision: z
      .strictObject({
        decision: MatchDecision,
        actor_kind: z.string(),
        actor_id: z.string(),
        decided_at: IsoTimestamp,
        batch_id: Uuid.nullable().describe('The batch that decided it, for its undo.'),
      })
      .nullable()
      .describe('What a member decided. Null: the rules apply.'),
  })
  .meta({ id: 'SaleMatch' });

export const Undo = z
  .strictObject({ method: z.string(), path: z.string(), body: z.record(z.string(), z.unknown()).nullable() })
  .nullable()
  .describe('The request that reverses it. Null where nothing changed.');

const ExcludedFrom = z
  .union([z.literal('beginning'), IsoTimestamp])
  .nullable()
  .describe('Payments of the source since then are in no report. Null: all are.');

export const SaleSource = z
  .strictObject({
    source: SourceKey,
    provider: Provider,
    kind: z.enum(saleSourceKinds).describe('Decides by the order of preference which record of a sale counts.'),
    connection_id: Uuid.nullable(),
    account_name: z.string().nullable(),
    records: Count.describe(`Payments that the source reported, at most the newest ${countedPerSource}.`),
    counted: Count,
    duplicates: Count.describe('Another record of the sale counts.'),
    excluded: Count,
    pending: Count.describe('Still being matched.'),
    has_more: z
      .boolean()
      .describe(`Whether the source reported more payments: the counts are of its newest ${countedPerSource}.`),
    decision: OverlapDecision.nullable().describe(
      '`count_both`: its payments never count as duplicates. Null: not decided, and they count once.',
    ),
    decided_at: IsoTimestamp.nullable(),
    excluded_from: ExcludedFrom,
  })
  .meta({ id: 'SaleSource' });

export const SaleOverlap = z
  .strictObject({
    sources: z.tuple([SourceKey, SourceKey]),
    records: Count.describe('Payments of the newer source in the period of both.'),
    partners: Count.describe('How many of them have a likely match in the other source.'),
    is_systematic: z.boolean().describe('Whether the two sources report the same sales.'),
    found_at: IsoTimestamp.nullable().describe('When the systematic overlap was found first.'),
    never_same_sale: z.boolean().describe('A member stated that the two never report the same sale.'),
    needs_answer: z
      .boolean()
      .describe(
        'Whether the overlap is systematic and no member has decided how to count it. `applies` holds meanwhile.',
      ),
    applies: OverlapEffect.describe(
      'What reports do now. `count_once`: matched records count once. `certain_only`: only records that share a reference. `count_both`: all count.',
    ),
  })
  .meta({ id: 'SaleOverlap' });

export const SaleSettings = z
  .strictObject({
    preference: z
      .array(z.enum(saleSourceKinds))
      .describe('Kinds of source. The record of the first kind in this order counts.'),
    window_minutes: z.int().describe('How far apart two records of the same customer and amount may be.'),
  })
  .meta({ id: 'SaleSettings' });
