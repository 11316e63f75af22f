import type { CreditOwners, Row } from '@tributary/clickhouse';
import type { AttributionModel, EntityLevel, RevenueType } from '@tributary/contract';
import type { Context } from '@tributary/operations';
import { conversionIdOf } from '@tributary/rules';
import { nilUuid } from '@tributary/vocabulary';
import { isId, isMoment, readCursor, writeCursor } from './cursor.ts';
import { creditText } from './figures.ts';
import type { Period } from './period.ts';
import type { ReportServices } from './services.ts';

/** Selects the conversions behind a figure. */
export interface ConversionQuery {
  readonly period: Period;
  readonly level: EntityLevel;
  readonly model: AttributionModel;
  /** The nil UUID selects unattributed conversions. */
  readonly entityId: string;
  /** A platform, channel or account, by name, instead of an entity. */
  readonly owner?: Owner | undefined;
  readonly accounts?: readonly string[] | undefined;
  /** All conversions, whichever entity was credited. */
  readonly isEverything: boolean;
  /** Only conversions that are credited to one owner entirely. */
  readonly isWhole: boolean;
  readonly isCash: boolean;
  readonly isNewPurchase: boolean;
  readonly isPipeline: boolean;
  /** An empty string selects all types. */
  readonly conversionType: string;
}

export interface Owner {
  readonly owners: Exclude<CreditOwners, 'entities'>;
  readonly name: string;
}

/** Parameters of the credit queries. */
export function parametersOf(query: ConversionQuery) {
  const { period, level, model, entityId, owner, isEverything, conversionType } = query;
  return {
    profile_id: period.profileId,
    level,
    // Counts every conversion once: under a single-touch model each conversion has exactly one row with the full credit.
    model: isEverything ? ('last_touch' as const) : model,
    from: period.from,
    until: period.until,
    owners: owner?.owners ?? ('entities' as const),
    ...period.moment,
    is_everything: isEverything,
    entity_id: entityId,
    owner_name: owner?.name ?? '',
    ...(query.accounts && { accounts: query.accounts }),
    is_whole: query.isWhole,
    is_cash: query.isCash,
    is_new_purchase: query.isNewPurchase,
    is_pipeline: query.isPipeline,
    conversion_type: conversionType,
  };
}

/** A page ends after this many touches, which keeps a response at about one megabyte. */
const maxTouchesPerPage = 4_000;

const farAhead = new Date('2200-01-01T00:00:00Z');
const highestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const start = { before_at: farAhead, before_id: highestId };

type Path = Row<'conversion_list_paths'>;

export interface PagedConversion {
  readonly path: Path;
  /** The amount it adds to a sum of credits, in minor units. */
  readonly credit: string;
  readonly shown: ReturnType<typeof toConversionResponse>;
}

/** Reads one page of conversions with their paths, newest first. */
export async function readConversions(
  query: ConversionQuery,
  { limit, cursor }: { readonly limit: number; readonly cursor: string | undefined },
  { clickhouse, signal }: Pick<Context, 'signal'> & ReportServices,
): Promise<{
  readonly conversions: PagedConversion[];
  readonly pagination: { has_next: boolean; cursor: string | null };
}> {
  const position = cursor === undefined ? start : parseCursor(cursor);
  const parameters = parametersOf(query);
  const { profile_id, from, until } = parameters;
  const { moment } = query.period;
  const found = await clickhouse.query(
    'report_list_credits',
    { ...parameters, ...position, limit: limit + 1 },
    { signal },
  );
  const keys = found.slice(0, countFitting(found.slice(0, limit)));
  if (keys.length === 0) return { conversions: [], pagination: { has_next: false, cursor: null } };
  const paths = await clickhouse.query(
    'conversion_list_paths',
    { profile_id, model: query.model, from, until, ...moment, ...keysOf(keys) },
    { signal },
  );
  const source_ids = [...new Set(paths.flatMap((path) => path.source_ids))];
  const sources = await clickhouse.query(
    'source_list',
    { profile_id, level: query.level, source_ids, ...moment },
    { signal },
  );
  const sourceOf = new Map(sources.map((source) => [source.source_id, source]));
  const accountEntities = await findAccountEntities(sources, query, { clickhouse, signal });
  const creditOf = new Map(keys.map(({ conversion_id, credit }) => [conversion_id, credit]));
  const last = keys.at(-1);
  return {
    conversions: paths.flatMap((path) => {
      const credit = creditOf.get(path.conversion_id);
      return credit === undefined
        ? []
        : [{ path, credit, shown: toConversionResponse(path, credit, query, sourceOf, accountEntities) }];
    }),
    pagination: {
      has_next: found.length > keys.length,
      cursor: last ? writeCursor(last.conversion_time, last.conversion_id) : null,
    },
  };
}

export const keysOf = (rows: readonly { readonly conversion_time: string; readonly conversion_id: string }[]) => ({
  times: rows.map(({ conversion_time }) => conversion_time.replace('T', ' ').replace('Z', '')),
  ids: rows.map(({ conversion_id }) => conversion_id),
});

/** How many rows fit on a page: at least one. */
function countFitting(rows: readonly { readonly path_length: string }[]): number {
  let touches = 0;
  const tooMany = rows.findIndex(({ path_length }, index) => {
    touches += Number(path_length);
    return index > 0 && touches > maxTouchesPerPage;
  });
  return tooMany === -1 ? rows.length : tooMany;
}

function parseCursor(cursor: string) {
  const [at, before_id] = readCursor(cursor, [isMoment, isId]);
  return { before_at: new Date(at), before_id };
}

function toConversionResponse(
  path: Path,
  credit: string,
  query: ConversionQuery,
  sourceOf: ReadonlyMap<string, Row<'source_list'>>,
  accountEntities: ReadonlySet<string>,
) {
  const { currency } = path;
  return {
    conversion_id: conversionIdOf(path.conversion_id),
    outcome_event_id: path.conversion_id,
    conversion_type: path.conversion_type,
    revenue_type: path.revenue_type as RevenueType,
    conversion_time: path.conversion_time,
    value: path.has_value ? creditText(path.value, currency) : null,
    credited_value: creditText(credit, currency),
    currency,
    is_first_payment: path.revenue_type === 'cash' ? path.is_first_payment : null,
    touch_count: path.touch_count,
    path: path.source_ids.map((sourceId, index) => {
      const source = sourceOf.get(sourceId);
      return {
        occurred_at: path.touch_times[index] ?? '',
        channel: source?.channel ?? 'unknown',
        source: source?.source ?? 'unknown',
        campaign_external_id: source?.campaign_external_id || null,
        ad_set_external_id: source?.ad_set_external_id || null,
        ad_external_id: source?.ad_external_id || null,
        campaign_name: source?.campaign_name || null,
        ad_set_name: source?.ad_set_name || null,
        ad_name: source?.ad_name || null,
        credit: creditText(path.credits[index] ?? '0', currency),
        is_of_entity: isOf(source, query, accountEntities),
      };
    }),
  };
}

/** Ids of those source entities that the account reported. */
async function findAccountEntities(
  sources: readonly Row<'source_list'>[],
  { accounts, period }: ConversionQuery,
  { clickhouse, signal }: Pick<Context, 'signal'> & ReportServices,
): Promise<Set<string>> {
  if (!accounts) return new Set();
  const entity_ids = [...new Set(sources.map(({ entity_id }) => entity_id))];
  const parameters = { profile_id: period.profileId, moment: 'now', entity_ids } as const;
  const named = await clickhouse.query('entity_list_names', parameters, { signal });
  return new Set(named.filter((one) => accounts.includes(one.connection_id)).map((one) => one.entity_id));
}

function isOf(
  source: Row<'source_list'> | undefined,
  { entityId, owner }: ConversionQuery,
  accountEntities: ReadonlySet<string>,
): boolean {
  switch (owner?.owners) {
    case undefined:
      return source?.entity_id === entityId;
    case 'accounts':
      return source !== undefined && accountEntities.has(source.entity_id);
    case 'channels':
      return source?.channel === owner.name;
    case 'platforms':
      return source?.platform === owner.name && source.entity_id !== nilUuid;
    case 'unassigned':
      return source?.platform === owner.name && source.medium === 'paid' && source.ad_external_id === '';
  }
}
