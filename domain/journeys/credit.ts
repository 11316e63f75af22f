import type { Row } from '@tributary/clickhouse';
import { weightsOf } from '@tributary/rules';
import { type AttributionModel, attributionModelNames, isSingle, type MultipleModel } from '@tributary/vocabulary';

/** By model; one that has not been worked out yet is not there. */
export type Shares = Readonly<Partial<Record<AttributionModel, number>>>;

/** How a conversion is credited, and how far back it looks. */
export interface Credit {
  readonly lookbackDays: number;
  /** By touch. */
  readonly shares: ReadonlyMap<string, Shares>;
  /** Of a touch that is not among them the conversion owes nothing. */
  readonly noShare: Shares;
}

/** Each touch's part of what was credited. */
export function creditOf(row: Row<'journey_read_credit'>): Credit {
  const { touch_ids: ids } = row;
  const byModel = attributionModelNames.flatMap((model) => {
    const shares = isSingle(model) ? alone(ids.length, row.places[model]) : divided(model, row);
    return shares ? [[model, shares] as const] : [];
  });
  const sharesAt = (index: number): Shares =>
    Object.fromEntries(byModel.map(([model, shares]) => [model, shares[index] ?? 0]));
  return {
    lookbackDays: row.lookback_days,
    shares: new Map(ids.map((id, index) => [id, sharesAt(index)])),
    noShare: sharesAt(ids.length),
  };
}

const alone = (length: number, place: number): number[] =>
  Array.from({ length }, (_, index) => (index + 1 === place ? 1 : 0));

/** A conversion without money is shared by the weights that would have divided it. Undefined: the model is not worked out yet. */
function divided(model: MultipleModel, { shares, times, value }: Row<'journey_read_credit'>): number[] | undefined {
  if (shares[model].length !== times.length) return undefined;
  if (BigInt(value) !== 0n) return shares[model].map((credit) => Number(credit) / Number(value));
  const weights = weightsOf(
    model,
    times.map((at) => ({ at, channel: '' })),
  ).map(Number);
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / whole);
}
