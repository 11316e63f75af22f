import type { Row } from '@tributary/clickhouse';
import { weightsOf } from '@tributary/rules';
import { type AttributionModel, attributionModelNames, isSingle, type MultipleModel } from '@tributary/vocabulary';

/** Shares by model; a model that has not been computed yet is missing. */
export type Shares = Readonly<Partial<Record<AttributionModel, number>>>;

/** The credit of a conversion and its lookback window. */
export interface Credit {
  readonly lookbackDays: number;
  /** By touch id. */
  readonly shares: ReadonlyMap<string, Shares>;
  /** The shares of a touch without credit: 0 under every computed model. */
  readonly noShare: Shares;
}

/** The fraction of the credited value that each touch has. */
export function creditOf(row: Row<'journey_read_credit'>): Credit {
  const { touch_ids: ids } = row;
  const byModel = attributionModelNames.flatMap((model) => {
    const shares = isSingle(model) ? allToOne(ids.length, row.places[model]) : divideCredit(model, row);
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

const allToOne = (length: number, rank: number): number[] =>
  Array.from({ length }, (_, index) => (index + 1 === rank ? 1 : 0));

/** Without a value, divides by the weights that would have divided it. Undefined if the model is not computed yet. */
function divideCredit(
  model: MultipleModel,
  { shares, times, value }: Row<'journey_read_credit'>,
): number[] | undefined {
  if (shares[model].length !== times.length) return undefined;
  if (BigInt(value) !== 0n) return shares[model].map((credit) => Number(credit) / Number(value));
  const weights = weightsOf(
    model,
    times.map((at) => ({ at, channel: '' })),
  ).map(Number);
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / whole);
}
