import type { Row } from '@tributary/clickhouse';
import type { AttributionModel, EntityLevel } from '@tributary/contract';
import type { Context } from '@tributary/operations';
import { nilUuid } from '@tributary/vocabulary';
import { type Named, nameEntities } from './name-entities.ts';
import type { DeliveryPeriod } from './period.ts';
import type { ReportServices } from './services.ts';

type Figures = Row<'report_list_entities'>;
export type EntityRow = Figures & Named;

interface Asked {
  readonly level: EntityLevel;
  readonly model: AttributionModel;
  readonly limit: number;
  /** There also when it did nothing. */
  readonly only?: string;
  /** What belongs to this campaign or ad set. */
  readonly parent?: string;
  /** What these connections of an account reported. */
  readonly accounts?: readonly string[] | undefined;
  /** After which row to go on. */
  readonly place?: { readonly below_value: string; readonly after_id: string };
}

/** Above every value: where the order begins. */
const top = { below_value: '9223372036854775807', after_id: '' };

/** What entities of a level cost and earned: the one query behind every row of an entity, whichever report shows it. */
export async function readEntities(
  { period, parameters }: DeliveryPeriod,
  { level, model, limit, only, parent, accounts, place = top }: Asked,
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
      ...place,
      limit,
    },
    { signal },
  );
  return only !== undefined && rows.length === 0 ? [{ entity_id: only, ...nothing }] : rows;
}

/** The same with what they are called. */
export async function readNamedEntities(
  delivery: DeliveryPeriod,
  asked: Asked,
  context: Pick<Context, 'signal'> & ReportServices,
): Promise<EntityRow[]> {
  const { profileId, moment } = delivery.period;
  const rows = await readEntities(delivery, asked, context);
  return nameEntities(rows, { profileId, level: asked.level, moment }, context);
}

const nothing: Omit<Figures, 'entity_id'> = {
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
