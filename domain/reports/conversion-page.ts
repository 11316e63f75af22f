import type { CreditOwners, Row } from '@tributary/clickhouse';
import type { AttributionModel, EntityLevel, RevenueType } from '@tributary/contract';
import type { Context } from '@tributary/operations';
import { conversionIdOf } from '@tributary/rules';
import { nilUuid } from '@tributary/vocabulary';
import { isId, isMoment, readCursor, writeCursor } from './cursor.ts';
import { creditText } from './figures.ts';
import type { Period } from './period.ts';
import type { ReportServices } from './services.ts';

/** Which conversions a figure is made of. */
export interface Wanted {
  readonly period: Period;
  readonly level: EntityLevel;
  readonly model: AttributionModel;
  /** Whose; nobody's is the nil UUID. */
  readonly entityId: string;
  /** Not an entity's, but that of a platform or a channel, by its name. */
  readonly owner?: Owner | undefined;
  readonly accounts?: readonly string[] | undefined;
  /** Every conversion, whoever earned it. */
  readonly isEverything: boolean;
  /** Only those of which nobody else has a share. */
  readonly isWhole: boolean;
  readonly isCash: boolean;
  readonly isNewPurchase: boolean;
  readonly isPipeline: boolean;
  /** Of all types where it is empty. */
  readonly conversionType: string;
}

export interface Owner {
  readonly owners: Exclude<CreditOwners, 'entities'>;
  readonly name: string;
}

/** As the queries of credits take them. */
export function parametersOf(wanted: Wanted) {
  const { period, level, model, entityId, owner, isEverything, conversionType } = wanted;
  return {
    profile_id: period.profileId,
    level,
    // Every conversion once: under a model of one share it is one row, and that row is all of it.
    model: isEverything ? ('last_touch' as const) : model,
    from: period.from,
    until: period.until,
    owners: owner?.owners ?? ('entities' as const),
    ...period.moment,
    is_everything: isEverything,
    entity_id: entityId,
    owner_name: owner?.name ?? '',
    ...(wanted.accounts && { accounts: wanted.accounts }),
    is_whole: wanted.isWhole,
    is_cash: wanted.isCash,
    is_new_purchase: wanted.isNewPurchase,
    is_pipeline: wanted.isPipeline,
    conversion_type: conversionType,
  };
}

/** After this many touches a page ends, so that an answer stays within a megabyte or so. */
const touchesOfPage = 4_000;

const farAhead = new Date('2200-01-01T00:00:00Z');
const highestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const start = { before_at: farAhead, before_id: highestId };

type Path = Row<'conversion_list_paths'>;

export interface PagedConversion {
  readonly path: Path;
  /** What it adds to a sum of credits, in minor units. */
  readonly credit: string;
  readonly shown: ReturnType<typeof showConversion>;
}

/** The newest of them, a page at a time, with their paths. */
export async function readConversions(
  wanted: Wanted,
  { limit, cursor }: { readonly limit: number; readonly cursor: string | undefined },
  { clickhouse, signal }: Pick<Context, 'signal'> & ReportServices,
): Promise<{
  readonly conversions: PagedConversion[];
  readonly pagination: { has_next: boolean; cursor: string | null };
}> {
  const place = cursor === undefined ? start : readPlace(cursor);
  const parameters = parametersOf(wanted);
  const { profile_id, from, until } = parameters;
  const { moment } = wanted.period;
  const found = await clickhouse.query(
    'report_list_credits',
    { ...parameters, ...place, limit: limit + 1 },
    { signal },
  );
  const keys = found.slice(0, fitting(found.slice(0, limit)));
  if (keys.length === 0) return { conversions: [], pagination: { has_next: false, cursor: null } };
  const paths = await clickhouse.query(
    'conversion_list_paths',
    { profile_id, model: wanted.model, from, until, ...moment, ...keysOf(keys) },
    { signal },
  );
  const source_ids = [...new Set(paths.flatMap((path) => path.source_ids))];
  const sources = await clickhouse.query(
    'source_list',
    { profile_id, level: wanted.level, source_ids, ...moment },
    { signal },
  );
  const sourceOf = new Map(sources.map((source) => [source.source_id, source]));
  const ofAccount = await findOfAccount(sources, wanted, { clickhouse, signal });
  const creditOf = new Map(keys.map(({ conversion_id, credit }) => [conversion_id, credit]));
  const last = keys.at(-1);
  return {
    conversions: paths.flatMap((path) => {
      const credit = creditOf.get(path.conversion_id);
      return credit === undefined
        ? []
        : [{ path, credit, shown: showConversion(path, credit, wanted, sourceOf, ofAccount) }];
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

/** How many of them a page holds: at least one. */
function fitting(rows: readonly { readonly path_length: string }[]): number {
  let touches = 0;
  const tooMany = rows.findIndex(({ path_length }, index) => {
    touches += Number(path_length);
    return index > 0 && touches > touchesOfPage;
  });
  return tooMany === -1 ? rows.length : tooMany;
}

function readPlace(cursor: string) {
  const [at, before_id] = readCursor(cursor, [isMoment, isId]);
  return { before_at: new Date(at), before_id };
}

function showConversion(
  path: Path,
  credit: string,
  wanted: Wanted,
  sourceOf: ReadonlyMap<string, Row<'source_list'>>,
  ofAccount: ReadonlySet<string>,
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
    path: path.source_ids.map((sourceId, place) => {
      const source = sourceOf.get(sourceId);
      return {
        occurred_at: path.touch_times[place] ?? '',
        channel: source?.channel ?? 'unknown',
        source: source?.source ?? 'unknown',
        campaign_external_id: source?.campaign_external_id || null,
        ad_set_external_id: source?.ad_set_external_id || null,
        ad_external_id: source?.ad_external_id || null,
        campaign_name: source?.campaign_name || null,
        ad_set_name: source?.ad_set_name || null,
        ad_name: source?.ad_name || null,
        credit: creditText(path.credits[place] ?? '0', currency),
        is_of_entity: isOf(source, wanted, ofAccount),
      };
    }),
  };
}

/** Of the entities that sources name, those that the account reported. */
async function findOfAccount(
  sources: readonly Row<'source_list'>[],
  { accounts, period }: Wanted,
  { clickhouse, signal }: Pick<Context, 'signal'> & ReportServices,
): Promise<Set<string>> {
  if (!accounts) return new Set();
  const entity_ids = [...new Set(sources.map(({ entity_id }) => entity_id))];
  const asked = { profile_id: period.profileId, moment: 'now', entity_ids } as const;
  const named = await clickhouse.query('entity_list_names', asked, { signal });
  return new Set(named.filter((one) => accounts.includes(one.connection_id)).map((one) => one.entity_id));
}

function isOf(
  source: Row<'source_list'> | undefined,
  { entityId, owner }: Wanted,
  ofAccount: ReadonlySet<string>,
): boolean {
  switch (owner?.owners) {
    case undefined:
      return source?.entity_id === entityId;
    case 'accounts':
      return source !== undefined && ofAccount.has(source.entity_id);
    case 'channels':
      return source?.channel === owner.name;
    case 'platforms':
      return source?.platform === owner.name && source.entity_id !== nilUuid;
    case 'unassigned':
      return source?.platform === owner.name && source.medium === 'paid' && source.ad_external_id === '';
  }
}
