import type { AttributionModel, EntityLevel } from '@tributary/contract';
import { type ProfileContext, refuse } from '@tributary/operations';
import { nilUuid, type SummedField } from '@tributary/vocabulary';
import { parametersOf } from './conversion-page.ts';
import { conversionsCounted, explainedFigures } from './explained-figure.ts';
import { readEntityId } from './find-entity.ts';
import { momentAsOf, momentOf, readMoment } from './moment.ts';
import { type DeliveryPeriod, readDeliveryPeriod } from './period.ts';
import type { ReportServices } from './services.ts';
import type { FigureQuery } from './sum-figure.ts';

interface Query {
  readonly field: SummedField;
  readonly entity_id?: string | undefined;
  readonly level: EntityLevel;
  readonly model: AttributionModel;
  readonly type?: string | undefined;
  readonly date_from: string;
  readonly date_to: string;
  readonly from: string;
  readonly to?: string | undefined;
}

/** A figure at two moments. */
export interface ChangedFigure {
  readonly field: SummedField;
  readonly before: FigureQuery;
  readonly after: FigureQuery;
  /** The settled moments at which the figure was read. */
  readonly from: Date;
  readonly to: Date;
}

export async function readChangedFigure(
  query: Query,
  context: ProfileContext & ReportServices,
): Promise<ChangedFigure> {
  const { field, level, model, date_from, date_to } = query;
  const to = query.to ?? context.now.toISOString();
  if (readMoment(query.from, context.now, 'from') >= readMoment(to, context.now, 'to'))
    refuse('invalid_parameter', 'The query parameter "from" must be before "to".', { fields: { field: 'from' } });
  const entityId = await readEntityId(query.entity_id, level, context);
  const deliveryAt = (as_of: string) => readDeliveryPeriod({ date_from, date_to, as_of }, context);
  const [before, after] = [await deliveryAt(query.from), await deliveryAt(to)];
  const isMoney = explainedFigures[field].unit === 'money';
  if (isMoney && before.period.currency !== after.period.currency)
    refuse(
      'invalid_parameter',
      `Reports were in ${before.period.currency} at "from" and in ${after.period.currency} at "to": such amounts have no difference.`,
      { fields: { field: 'from' } },
    );
  const queryAt = (delivery: DeliveryPeriod): FigureQuery => ({
    delivery,
    level,
    model,
    entityId: entityId ?? nilUuid,
    isEverything: entityId === undefined,
    conversionType: query.type ?? '',
  });
  const at = ({ period }: DeliveryPeriod) => momentOf(period) ?? context.now;
  return { field, before: queryAt(before), after: queryAt(after), from: at(before), to: at(after) };
}

/** The same query with rows as of one moment and the entity hierarchy as of another. */
export const queryAtMoments = (queryAt: FigureQuery, rows: Date, entities: Date): FigureQuery => {
  const { delivery } = queryAt;
  const moment = momentAsOf(rows, entities);
  return {
    ...queryAt,
    delivery: {
      ...delivery,
      period: { ...delivery.period, moment },
      parameters: { ...delivery.parameters, ...moment },
    },
  };
};

/** Parameters of the change queries: the days of the later moment, with the entity hierarchy of the earlier one. */
export function changeParameters({ field, after, from, to }: ChangedFigure) {
  const figure = explainedFigures[field];
  if (figure.rows !== 'conversions') throw new TypeError(`${field} is no sum of conversions.`);
  const conversionQuery = { ...after, period: after.delivery.period, ...conversionsCounted(figure, after) };
  return {
    ...parametersOf(conversionQuery),
    moment: 'between' as const,
    changed_since: from,
    as_of: to,
    entities_as_of: from,
    is_value: field === 'outcome_value',
  };
}

export const changeMeta = ({ after, from, to }: ChangedFigure, { date_from, date_to, level, model }: Query) => ({
  date_from,
  date_to,
  currency: after.delivery.period.currency,
  model,
  level,
  from: from.toISOString(),
  to: to.toISOString(),
});

/** ClickHouse stores the causes of a change as one comma-separated string. */
export const causesOf = (cause: string): string[] => cause.split(',').filter((word) => word !== '');

export const refOf = (ref: string): string | null => (ref === nilUuid ? null : ref);
