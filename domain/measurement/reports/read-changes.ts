import type { Routes } from '@tributary/contract';
import { answer, type Handles, type ProfileContext } from '@tributary/operations';
import { fromMinorUnits, subtractAmounts, sumAmounts } from '@tributary/rules';
import type { figureCauses } from '@tributary/vocabulary';
import {
  type ChangedFigure,
  causesOf,
  changeMeta,
  changeParameters,
  queryAtMoments,
  readChangedFigure,
  refOf,
} from './changed-figure.ts';
import { explainedFigures } from './explained-figure.ts';
import { costText } from './figures.ts';
import { readDeliveryPeriod } from './period.ts';
import type { ChangeServices, ReportServices } from './services.ts';
import { type FigureQuery, sumFigure } from './sum-figure.ts';

type Services = ProfileContext & ReportServices;

interface Line {
  readonly causes: string[];
  readonly ref: string | null;
  readonly difference: string;
  readonly conversions: number;
}

export const readChanges: Handles<Routes['readChanges'], ChangeServices> = async ({ query }, context) => {
  const changed = await readChangedFigure(query, context);
  const { field } = changed;
  const { rows, unit } = explainedFigures[field];
  const [before, after] = await Promise.all([
    sum(changed.before, changed, context),
    sum(changed.after, changed, context),
  ]);
  const lines =
    rows === 'delivery'
      ? await deliveryCauses(changed, before, after, context)
      : await conversionCauses(changed, before, after, context);
  const difference = subtractAmounts(after, before);
  const unexplained = subtractAmounts(difference, sumAmounts(lines.map((line) => line.difference)));
  if (Number(unexplained) !== 0) {
    const { level: entity_level, model, date_from, date_to } = query;
    const { entityId: entity_id } = changed.after;
    const [from, to] = [changed.from.toISOString(), changed.to.toISOString()];
    const { profileId: profile_id } = context.caller;
    context.tellUnexplained({ profile_id, field, entity_level, entity_id, model, date_from, date_to, from, to });
  }
  const { currency } = changed.after.delivery.period;
  const shown = (amount: string) => (unit === 'money' ? costText(amount, currency) : amount);
  return answer(200, {
    data: {
      field,
      unit,
      before,
      after,
      difference: shown(difference),
      causes: lines.map((line) => ({ ...line, difference: shown(line.difference) })),
      unexplained: shown(unexplained),
    },
    meta: changeMeta(changed, query),
  });
};

const sum = async (query: FigureQuery, { field }: ChangedFigure, context: Services): Promise<string> =>
  (await sumFigure(field, query, context)).value ?? '0';

const step = (cause: keyof typeof figureCauses, before: string, after: string): Line[] => {
  const difference = subtractAmounts(after, before);
  return Number(difference) === 0 ? [] : [{ causes: [cause], ref: null, difference, conversions: 0 }];
};

/**
 * Explains the difference in steps: first a changed time zone, then conversion by conversion, then moved ads. The figure between the last
 * two steps is computed separately, so that a conversion that changed without a recorded cause shows as unexplained.
 */
async function conversionCauses(
  changed: ChangedFigure,
  before: string,
  after: string,
  context: Services,
): Promise<Line[]> {
  const { from, to, field } = changed;
  const { currency, timeZone } = changed.after.delivery.period;
  const isMoved = changed.before.delivery.period.timeZone !== timeZone;
  const [shifted, unmoved, found] = await Promise.all([
    isMoved ? sum(queryAtMoments(changed.after, from, from), changed, context) : before,
    sum(queryAtMoments(changed.after, to, from), changed, context),
    context.clickhouse.query('change_list_causes', changeParameters(changed), { signal: context.signal }),
  ]);
  const text = (units: string) => (field === 'outcome_value' ? fromMinorUnits(BigInt(units), currency) : units);
  return [
    ...step('settings', before, shifted),
    ...found.map(({ cause, only_ref, difference, conversions }) => ({
      causes: causesOf(cause),
      ref: refOf(only_ref),
      difference: text(difference),
      conversions: Number(conversions),
    })),
    ...step('entity_moved', unmoved, after),
  ];
}

/**
 * Delivery is no sum of rows, because a campaign's own day replaces the days of its ads. Each step is therefore the difference of two
 * figures.
 */
async function deliveryCauses(
  changed: ChangedFigure,
  before: string,
  after: string,
  context: Services,
): Promise<Line[]> {
  const { from, to } = changed;
  const { period } = changed.after.delivery;
  const range = { date_from: period.firstDay, date_to: period.lastDay, as_of: to.toISOString() };
  const atOldRates = { ...changed.after, delivery: await readDeliveryPeriod(range, context, from) };
  const delivered = await sum(queryAtMoments(atOldRates, to, from), changed, context);
  const moved = await sum(queryAtMoments(atOldRates, to, to), changed, context);
  return [
    ...step('delivery', before, delivered),
    ...step('entity_moved', delivered, moved),
    ...step('exchange_rate', moved, after),
  ];
}
