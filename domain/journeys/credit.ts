import type { Row } from '@tributary/clickhouse';
import { weightsOf } from '@tributary/rules';
import { type AttributionModel, attributionModelNames } from '@tributary/vocabulary';

export type Shares = Readonly<Record<AttributionModel, number>>;

/** How a conversion is credited, and how far back it looks. */
export interface Credit {
  readonly lookbackDays: number;
  /** By touch; of those that are not here the conversion owes nothing. */
  readonly shares: ReadonlyMap<string, Shares>;
}

export const noShare: Shares = Object.fromEntries(attributionModelNames.map((model) => [model, 0])) as Record<
  AttributionModel,
  number
>;

/** Each touch's part of what was credited. A conversion without money is shared by the weights that would have divided it. */
export function creditOf(row: Row<'journey_read_credit'>): Credit {
  const { touch_ids: ids, times, last_non_direct: lastNonDirect } = row;
  const only = (place: number) => ids.map((_, index) => (index + 1 === place ? 1 : 0));
  const value = BigInt(row.value);
  const divided = (model: 'linear' | 'time_decay' | 'position_based'): number[] => {
    if (value !== 0n) return row[model].map((credit) => Number(credit) / Number(value));
    const weights = weightsOf(
      model,
      times.map((at) => ({ at, channel: '' })),
    ).map(Number);
    const whole = weights.reduce((sum, weight) => sum + weight, 0);
    return weights.map((weight) => weight / whole);
  };
  const byModel: Record<AttributionModel, number[]> = {
    first_touch: only(1),
    last_touch: only(ids.length),
    last_non_direct: only(lastNonDirect),
    linear: divided('linear'),
    time_decay: divided('time_decay'),
    position_based: divided('position_based'),
  };
  const sharesAt = (index: number) =>
    Object.fromEntries(attributionModelNames.map((model) => [model, byModel[model][index] ?? 0])) as Record<
      AttributionModel,
      number
    >;
  return { lookbackDays: row.lookback_days, shares: new Map(ids.map((id, index) => [id, sharesAt(index)])) };
}
