import type { Row } from '@tributary/clickhouse';
import type { Routes } from '@tributary/contract';
import {
  credit,
  isId,
  isMinorUnits,
  nameOf,
  readCursor,
  readPeriod,
  writeCursor,
} from '@tributary/domain/measurement/reports';
import { answer, type Handles } from '@tributary/operations';
import { intervalWidth } from '@tributary/rules';
import { nilUuid } from '@tributary/vocabulary';
import { readCalibration, type Served, unweighed } from './calibration.ts';
import { currentRefusal, refuseEstimate } from './fit-response.ts';
import type { ModelServices } from './services.ts';
import { findSettled } from './store.ts';

/** Above every value: the start of the sort order. */
const top = { below_value: '9223372036854775807', after_id: '' };

export const listModelCampaigns: Handles<Routes['listModelCampaigns'], ModelServices> = async (
  { params, query },
  context,
) => {
  const { date_from, date_to, level, limit, cursor } = query;
  const { clickhouse, signal, ledger, caller, now } = context;
  const position = cursor === undefined ? top : parseCursor(cursor);
  const settled = await ledger.transaction((tx) => findSettled(tx, caller.profileId), { readOnly: true });
  const refusal = currentRefusal(settled, now);
  if (refusal) return refuseEstimate(refusal);
  const fit = settled as Served;
  const { profileId, from, until, currency } = await readPeriod({ date_from, date_to }, context);
  if (from < fit.creditedFrom || from >= fit.creditedUntil) return refuseEstimate('outside_fit');
  const isCalibrated = params.model === 'calibrated';
  const calibration = isCalibrated ? await readCalibration(fit, { from, until }, context) : undefined;
  if (isCalibrated && !calibration) return refuseEstimate('no_test');
  const parameters = {
    profile_id: profileId,
    fit_id: fit.id,
    fitted_model: params.model === 'calibrated' ? 'data_driven' : params.model,
    ...(calibration?.weights ?? unweighed),
    level,
    from,
    until,
    moment: 'now',
  } as const;
  const [[sums], found] = await Promise.all([
    clickhouse.query('model_sum_credits', parameters, { signal }),
    clickhouse.query(
      'model_list_entities',
      { ...parameters, ...position, only: nilUuid, limit: limit + 1 },
      { signal },
    ),
  ]);
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  const money = (minorUnits: string | bigint | undefined) => credit(minorUnits ?? '0', currency);
  return answer(200, {
    data: rows.map((row) => {
      const half = BigInt(Math.round(intervalWidth * Math.hypot(errorOfSum(row.by_part.map(Number)), row.doubt)));
      const units = row.units.flatMap((id) => calibration?.units.get(id) ?? []);
      return {
        entity_id: row.entity_id,
        external_id: row.external_id,
        name: nameOf(row.name, row.external_id) ?? null,
        outcome_value: money(row.value),
        outcome_value_low: money(BigInt(row.value) - half),
        outcome_value_high: money(BigInt(row.value) + half),
        interval_basis: calibration ? ('calibrated' as const) : ('sampling' as const),
        tactic: units[0]?.tactic ?? null,
        is_tested: units.some(({ isTested }) => isTested),
        purchases: Number(row.purchases),
        models_disagree: disagree([row.value, row.first_touch_value, row.last_touch_value].map(Number)),
      };
    }),
    pagination: { has_next: found.length > limit, cursor: last ? writeCursor(last.value, last.entity_id) : null },
    meta: {
      date_from,
      date_to,
      currency,
      model: params.model,
      level,
      fit_id: fit.id,
      fitted_at: fit.requestedAt.toISOString(),
      seen_pct: fit.seenPct ?? 0,
      purchases: Number(sums?.purchases ?? 0),
      tests: (calibration?.tests ?? []).map(({ id }) => id),
      ...sharesOf(sums, money),
    },
  });
};

/**
 * Splits the total value by owner. What tests moved to or from entities is subtracted from or added to the uncredited value, in proportion
 * to uncredited paths and purchases without a path.
 */
function sharesOf(sums: Row<'model_sum_credits'> | undefined, money: (minorUnits: bigint) => number) {
  const [total = 0n, entities = 0n, others = 0n, came = 0n, unseen = 0n] = [
    sums?.total,
    sums?.to_entities,
    sums?.to_others,
    sums?.would_have_come,
    sums?.without_touch,
  ].map((amount) => BigInt(amount ?? 0));
  const uncredited = total - entities - others;
  const moved = came + unseen - uncredited;
  const withoutTouch = moved > 0n ? unseen - (unseen * moved) / (came + unseen) : unseen;
  return {
    total: money(total),
    to_entities: money(entities),
    to_other_sources: money(others),
    would_have_come: money(uncredited - withoutTouch),
    without_touch: money(withoutTouch),
  };
}

function parseCursor(cursor: string) {
  const [below_value, after_id] = readCursor(cursor, [isMinorUnits, isId]);
  return { below_value, after_id };
}

/**
 * Customers are split into fiftieths by hash; the variance of their sums estimates the sampling error of the whole. A part without
 * purchases has no row.
 */
const parts = 50;

export function errorOfSum(sums: readonly number[]): number {
  const mean = sums.reduce((all, sum) => all + sum, 0) / parts;
  const squares = sums.reduce((all, sum) => all + (sum - mean) ** 2, 0) + (parts - sums.length) * mean ** 2;
  return Math.sqrt((squares * parts) / (parts - 1));
}

const disagree = (values: readonly number[]): boolean =>
  Math.max(...values) > 3 * Math.max(0, Math.min(...values)) && Math.max(...values) > 0;
