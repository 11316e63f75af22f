import { actionOutcomes, saleSourceKinds } from '@tributary/vocabulary';
import { z } from 'zod';
import { CalendarDate, data, IsoTimestampInput, limitParameter, page, Uuid } from '../primitives.ts';
import { route } from '../route.ts';
import { Flag, MatchDecision, MatchEvidence, MatchState, OverlapDecision } from '../vocabulary.ts';
import {
  Count,
  chapter,
  decidedAtOnce,
  pageSize,
  read,
  SaleMatch,
  SaleOverlap,
  SaleSettings,
  SaleSource,
  SourceKey,
  Undo,
  windowMinutes,
  write,
} from './sale-parts.ts';

/** Deduplication of sales reported by two sources: members' decisions on matches, and source settings. */

const params = z.object({ id: Uuid.describe('The `id` of a row of GET /sale-matches, also of an earlier version.') });
const ofMatch = { params, refusedAs: { id: 'not_found' }, ids: { id: 'sale_match' } } as const;
const Outcome = z.enum(actionOutcomes);
const unchanged = { outcome: ['no_change', 'dry_run'] } as const;
const whatFollows = 'Reports follow within seconds, with the cause `match`. Another profile’s id returns 404.';

const listSaleMatches = route({
  id: 'listSaleMatches',
  method: 'GET',
  path: '/api/v1/sale-matches',
  summary: 'Matches of payments across sources',
  description: 'The newest change first. `source` and `other_source` together select the matches of two sources.',
  reveals: { days: 'any', people: 'none', costs: false },
  chapter,
  access: read,
  query: z.object({
    state: MatchState.optional(),
    source: SourceKey.optional(),
    other_source: SourceKey.optional(),
    evidence: MatchEvidence.optional(),
    is_certain: Flag.optional(),
    cursor: Uuid.optional(),
    limit: limitParameter(pageSize),
  }),
  ids: { source: 'sale_source', other_source: 'sale_source' },
  answers: { 200: { schema: page(SaleMatch) } },
});

const MatchChange = z
  .strictObject({ id: Uuid, outcome: Outcome, match: SaleMatch, undo: Undo })
  .meta({ id: 'SaleMatchChange' });

const confirmSaleMatch = route({
  id: 'confirmSaleMatch',
  method: 'POST',
  path: '/api/v1/sale-matches/{id}/confirm',
  summary: 'Confirm that two records are the same sale',
  description:
    'The sale counts once. Returns 409 `invalid_state` if other decisions put two records of one source, or two rejected ones, into the same sale. ' +
    whatFollows,
  chapter,
  audit: { action: 'sale_match.confirmed', of: 'sale_match:{params.id}', unchanged },
  access: write,
  ...ofMatch,
  idempotency: 'natural',
  answers: { 200: { schema: data(MatchChange) } },
  refusals: ['invalid_state'],
});

const rejectSaleMatch = route({
  id: 'rejectSaleMatch',
  method: 'POST',
  path: '/api/v1/sale-matches/{id}/reject',
  summary: 'Reject a match: two sales',
  description: `Both records count, and the pair is never suggested again. ${whatFollows}`,
  chapter,
  audit: { action: 'sale_match.rejected', of: 'sale_match:{params.id}', unchanged },
  access: write,
  ...ofMatch,
  idempotency: 'natural',
  answers: { 200: { schema: data(MatchChange) } },
});

const undoSaleMatch = route({
  id: 'undoSaleMatch',
  method: 'POST',
  path: '/api/v1/sale-matches/{id}/undo',
  summary: 'Remove the decision on a match',
  description: `The rules apply again. ${whatFollows}`,
  chapter,
  audit: { action: 'sale_match.undone', of: 'sale_match:{params.id}', unchanged },
  access: write,
  ...ofMatch,
  idempotency: 'natural',
  answers: { 200: { schema: data(MatchChange) } },
});

const decideSaleMatches = route({
  id: 'decideSaleMatches',
  method: 'POST',
  path: '/api/v1/sale-matches/decisions',
  summary: 'Decide all matches of a kind at once',
  description:
    `Up to ${decidedAtOnce} matches of two sources; \`has_more\` says whether some are left for another request. Matches that a member decided are never changed. ` +
    whatFollows,
  chapter,
  audit: { action: 'sale_matches.decided', of: 'sale_batch:{data.id}', unchanged },
  access: write,
  query: z.object({ dry_run: Flag.default('false').describe('`true`: counts the matches and decides none.') }),
  body: {
    schema: z.strictObject({
      decision: MatchDecision,
      source: SourceKey,
      other_source: SourceKey,
      state: MatchState.extract(['automatic', 'suggested']).default('suggested'),
      evidence: MatchEvidence.optional(),
      is_certain: z.boolean().optional(),
    }),
    example: { decision: 'confirmed', source: 'api', other_source: 'import', evidence: 'customer' },
  },
  ids: { source: 'sale_source', other_source: 'sale_source' },
  idempotency: 'accepted',
  answers: {
    200: {
      schema: data(
        z
          .strictObject({
            id: Uuid.nullable().describe('The batch, for its undo. Null where nothing was decided.'),
            outcome: Outcome,
            decision: MatchDecision,
            matches: Count.describe('Decided, or to be decided for `dry_run`.'),
            skipped: Count.describe('Not confirmed, because other decisions contradict them.'),
            has_more: z.boolean(),
            undo: Undo,
          })
          .meta({ id: 'SaleMatchBatch' }),
      ),
    },
  },
  refusals: ['not_found'],
});

const undoSaleMatches = route({
  id: 'undoSaleMatches',
  method: 'POST',
  path: '/api/v1/sale-matches/decisions/{id}/undo',
  summary: 'Remove the decisions of a batch',
  description: `Decisions that a member changed since remain. ${whatFollows}`,
  chapter,
  audit: { action: 'sale_matches.undone', of: 'sale_batch:{params.id}', unchanged },
  access: write,
  params: z.object({ id: Uuid.describe('The `id` that POST /sale-matches/decisions returned.') }),
  refusedAs: { id: 'not_found' },
  ids: { id: 'sale_batch' },
  idempotency: 'natural',
  answers: {
    200: {
      schema: data(
        z
          .strictObject({ id: Uuid, outcome: Outcome, matches: Count.describe('Whose decision was removed.') })
          .meta({ id: 'SaleMatchBatchUndo' }),
      ),
    },
  },
});

const readSaleSources = route({
  id: 'readSaleSources',
  method: 'GET',
  path: '/api/v1/sale-sources',
  summary: 'Sources of payments, and how they overlap',
  description:
    'Payments are counted once where two sources report the same sales systematically. Until a member decides, this recommended state applies.',
  reveals: { days: 'any', people: 'none', costs: false },
  chapter,
  access: read,
  answers: {
    200: {
      schema: data(
        z
          .strictObject({
            sources: z.array(SaleSource),
            overlaps: z.array(SaleOverlap),
            settings: SaleSettings,
            is_pending: z.boolean().describe('Whether a change is still being applied to reports.'),
          })
          .meta({ id: 'SaleSources' }),
      ),
    },
  },
});

const updateSaleSettings = route({
  id: 'updateSaleSettings',
  method: 'PATCH',
  path: '/api/v1/sale-settings',
  summary: 'Change which record of a sale counts, and how far apart records may be',
  description: `All payments with several sources are worked out again. ${whatFollows}`,
  chapter,
  audit: { action: 'sale_settings.changed', of: 'profile:{caller.profileId}', unchanged },
  access: write,
  body: {
    schema: z.strictObject({
      preference: z
        .array(z.enum(saleSourceKinds))
        .length(saleSourceKinds.length, `must name all ${saleSourceKinds.length} kinds`)
        .refine((kinds) => new Set(kinds).size === kinds.length, 'must name each kind once')
        .optional(),
      window_minutes: z.int().min(windowMinutes.min).max(windowMinutes.max).optional(),
    }),
    example: { window_minutes: 15 },
  },
  idempotency: 'natural',
  answers: {
    200: {
      schema: data(
        z.strictObject({ outcome: Outcome, settings: SaleSettings, undo: Undo }).meta({ id: 'SaleSettingsChange' }),
      ),
    },
  },
});

const From = z
  .union([z.literal('beginning'), CalendarDate, IsoTimestampInput], {
    error: 'must be `beginning`, a date, an ISO 8601 time with an offset, or null',
  })
  .nullable()
  .describe('Exclude its payments since the beginning, a day of the profile’s time zone or a moment. Null: none.')
  .meta({ examples: ['2026-03-01', 'beginning', null] });

const updateSaleSource = route({
  id: 'updateSaleSource',
  method: 'PATCH',
  path: '/api/v1/sale-sources/{source}',
  summary: 'Decide how the payments of a source count',
  description: `Records are neither deleted nor changed, so every change is reversible. ${whatFollows}`,
  chapter,
  audit: { action: 'sale_source.changed', of: 'sale_source:{params.source}', unchanged },
  access: write,
  params: z.object({ source: SourceKey }),
  body: {
    schema: z.strictObject({ decision: OverlapDecision.nullable().optional(), excluded_from: From.optional() }),
    example: { decision: 'count_once', excluded_from: '2026-03-01' },
  },
  refusedAs: { source: 'not_found' },
  ids: { source: 'sale_source' },
  idempotency: 'natural',
  answers: {
    200: {
      schema: data(
        z.strictObject({ outcome: Outcome, source: SaleSource, undo: Undo }).meta({ id: 'SaleSourceChange' }),
      ),
    },
  },
});

const updateSaleOverlap = route({
  id: 'updateSaleOverlap',
  method: 'PUT',
  path: '/api/v1/sale-sources/{source}/overlaps/{other}',
  summary: 'State that two sources never report the same sale',
  description: `Both sources count in full then, except for matches that a member confirmed. ${whatFollows}`,
  chapter,
  audit: { action: 'sale_overlap.changed', of: 'sale_source:{params.source}', unchanged },
  access: write,
  params: z.object({ source: SourceKey, other: SourceKey }),
  body: { schema: z.strictObject({ never_same_sale: z.boolean() }) },
  refusedAs: { source: 'not_found', other: 'not_found' },
  ids: { source: 'sale_source', other: 'sale_source' },
  idempotency: 'natural',
  answers: {
    200: {
      schema: data(
        z.strictObject({ outcome: Outcome, overlap: SaleOverlap, undo: Undo }).meta({ id: 'SaleOverlapChange' }),
      ),
    },
  },
});

export const saleRoutes = {
  listSaleMatches,
  confirmSaleMatch,
  rejectSaleMatch,
  undoSaleMatch,
  decideSaleMatches,
  undoSaleMatches,
  readSaleSources,
  updateSaleSettings,
  updateSaleSource,
  updateSaleOverlap,
};
