import type { Row } from '@tributary/clickhouse';
import type { AttributionModel, EntityLevel } from '@tributary/contract';
import type { Context } from '@tributary/operations';
import { nilUuid } from '@tributary/vocabulary';
import { type EntityNames, nameEntities } from './name-entities.ts';
import type { DeliveryPeriod } from './period.ts';
import type { ReportServices } from './services.ts';

type Figures = Row<'report_list_entities'>;
export type EntityRow = Figures & EntityNames;

interface EntityQuery {
  readonly level: EntityLevel;
  readonly model: AttributionModel;
  readonly limit: number;
  /** Return a zero row for this id when it has no activity. */
  readonly only?: string;
  /** Only entities under this campaign or ad set. */
  readonly parent?: string;
  /** Only rows that these connections reported. */
  readonly accounts?: readonly string[] | undefined;
  /** Continue after this row. */
  readonly position?: { readonly below_value: string; readonly after_id: string };
}

/** Above every value: the start of the sort order. */
const top = { below_value: '9223372036854775807', after_id: '' };

/** Cost and credited results of the entities of a level. Every report that shows entities reads its rows through this query. */
export async function readEntities(
  { period, parameters }: DeliveryPeriod,
  { level, model, limit, only, parent, accounts, position = top }: EntityQuery,
  { clickhouse, signal }: Pick<Context, 'signal'> & ReportServices,
): Promise<Figures[]> {
  const { from, until } = period;
  const rows = await clickhouse.query(
    'report_list_entities',
    {
      ...parameters,
      level,
      model,
      from,
      until,
      owners: 'entities',
      only: only ?? nilUuid,
      scope: accounts ? (parent ? 'account_parent' : 'account') : parent ? 'parent' : 'all',
      ...(accounts && { accounts }),
      parent: parent ?? nilUuid,
      ...position,
      limit,
    },
    { signal },
  );
  return only !== undefined && rows.length === 0 ? [{ entity_id: only, ...zeroFigures }] : rows;
}

/** The same rows with entity names. */
export async function readNamedEntities(
  delivery: DeliveryPeriod,
  query: EntityQuery,
  context: Pick<Context, 'signal'> & ReportServices,
): Promise<EntityRow[]> {
  const { profileId, moment } = delivery.period;
  const rows = await readEntities(delivery, query, context);
  return nameEntities(rows, { profileId, level: query.level, moment }, context);
}

const zeroFigures: Omit<Figures, 'entity_id'> = {
  conversions: '0',
  payments: '0',
  first_payments: '0',
  value: '0',
  valued: '0',
  by_type: [],
  spend: '0',
  is_spend_unknown: 0,
  impressions: '0',
  clicks: '0',
  reach: null,
  conversations: null,
  platform_conversions: null,
  platform_value: null,
};
