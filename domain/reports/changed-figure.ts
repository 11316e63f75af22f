import type { AttributionModel, EntityLevel } from '@tributary/contract';
import { type ProfileContext, refuse } from '@tributary/operations';
import { nilUuid, type SummedField } from '@tributary/vocabulary';
import { parametersOf } from './conversion-page.ts';
import { conversionsCounted, explainedFigures } from './explained-figure.ts';
import { readEntityId } from './find-entity.ts';
import { momentOf, readMoment, stood } from './moment.ts';
import { type DeliveryPeriod, readDeliveryPeriod } from './period.ts';
import type { ReportServices } from './services.ts';
import type { Asked } from './sum-figure.ts';

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
  readonly before: Asked;
  readonly after: Asked;
  /** The settled moments that were read. */
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
  const asked = (delivery: DeliveryPeriod): Asked => ({
    delivery,
    level,
    model,
    entityId: entityId ?? nilUuid,
    isEverything: entityId === undefined,
    conversionType: query.type ?? '',
  });
  const at = ({ period }: DeliveryPeriod) => momentOf(period) ?? context.now;
  return { field, before: asked(before), after: asked(after), from: at(before), to: at(after) };
}

/** The same figure with its rows as of one moment and whose an ad was as of another. */
export const seenAt = (asked: Asked, rows: Date, entities: Date): Asked => {
  const { delivery } = asked;
  const moment = stood(rows, entities);
  return {
    ...asked,
    delivery: {
      ...delivery,
      period: { ...delivery.period, moment },
      parameters: { ...delivery.parameters, ...moment },
    },
  };
};

/** As the queries of changes take it: the days of the later moment, with whose an ad was at the earlier one. */
export function changeParameters({ field, after, from, to }: ChangedFigure) {
  const figure = explainedFigures[field];
  if (figure.rows !== 'conversions') throw new TypeError(`${field} is no sum of conversions.`);
  const wanted = { ...after, period: after.delivery.period, ...conversionsCounted(figure, after) };
  return {
    ...parametersOf(wanted),
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

/** The words of a cause, which the columns have in one. */
export const causesOf = (cause: string): string[] => cause.split(',').filter((word) => word !== '');

export const refOf = (ref: string): string | null => (ref === nilUuid ? null : ref);
