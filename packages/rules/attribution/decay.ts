/**
 * Time decay halves a touch's weight for every seven days before the path's last touch. The age is in whole minutes.
 * The weight is an integer: the product of two small tables, halved once per whole week. No floating-point power or
 * logarithm is involved, so SQL and TypeScript cannot differ.
 */

const hoursPerHalfLife = 168;
const scale = 2 ** 30;

/** What remains of 2^30 after a number of hours, and after a number of minutes. */
export const hourWeights: readonly number[] = Array.from({ length: hoursPerHalfLife }, (_, hour) =>
  Math.round(scale * 2 ** (-hour / hoursPerHalfLife)),
);
export const minuteWeights: readonly number[] = Array.from({ length: 60 }, (_, minute) =>
  Math.round(scale * 2 ** (-minute / (hoursPerHalfLife * 60))),
);

/**
 * Five of the 60 bits are dropped, so that the sum of 200 weights fits into 64 bits. After 365 days several bits
 * remain.
 */
const droppedBits = 5n;

export function decayWeight(ageMs: number): bigint {
  const minutes = Math.floor(ageMs / 60_000);
  const hours = Math.floor(minutes / 60);
  const halvings = BigInt(Math.floor(hours / hoursPerHalfLife));
  const product = BigInt(hourWeights[hours % hoursPerHalfLife] ?? 0) * BigInt(minuteWeights[minutes % 60] ?? 0);
  return product >> (halvings + droppedBits);
}
