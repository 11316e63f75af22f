import type { Row } from '@tributary/clickhouse';
import type { AttributionModel, EntityLevel } from '@tributary/contract';
import type { Context } from '@tributary/operations';
import { nilUuid } from '@tributary/vocabulary';
import type { DeliveryPeriod } from './period.ts';
import type { ReportServices } from './services.ts';

/** Above every value: where the order begins. */
const top = { below_value: '9223372036854775807', after_id: '' };

/** What entities of a level cost and earned: the one query behind every row of an entity, whichever report shows it. */
export function readEntities(
  { period, parameters }: DeliveryPeriod,
  asked: {
    readonly level: EntityLevel;
    readonly model: AttributionModel;
    readonly limit: number;
    readonly only?: string;
    /** What belongs to this campaign or ad set. */
    readonly parent?: string;
    /** After which row to go on. */
    readonly place?: { readonly below_value: string; readonly after_id: string };
  },
  { clickhouse, signal }: Pick<Context, 'signal'> & ReportServices,
): Promise<Row<'report_list_entities'>[]> {
  const { level, model, limit, only = nilUuid, parent, place = top } = asked;
  const { from, until } = period;
  return clickhouse.query(
    'report_list_entities',
    {
      ...parameters,
      level,
      model,
      from,
      until,
      owners: 'entities',
      only,
      scope: parent ? 'parent' : 'all',
      parent: parent ?? nilUuid,
      ...place,
      limit,
    },
    { signal },
  );
}
