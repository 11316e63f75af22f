/**
 * Time decay halves a touch's weight for every seven days that it lies before the path's last touch. The age is taken in whole
 * minutes and the weight is an integer: the product of two small tables, halved once for every whole week. No program's
 * idea of a power or a logarithm takes part, so SQL and TypeScript cannot differ.
 */

const hoursPerHalfLife = 168;
const scale = 2 ** 30;

/** What is left of 2^30 after so many hours, and after so many minutes. */
export const hourWeights: readonly number[] = Array.from({ length: hoursPerHalfLife }, (_, hour) =>
  Math.round(scale * 2 ** (-hour / hoursPerHalfLife)),
);
export const minuteWeights: readonly number[] = Array.from({ length: 60 }, (_, minute) =>
  Math.round(scale * 2 ** (-minute / (hoursPerHalfLife * 60))),
);

/** Of 2^60, five bits are given away, so that 200 weights add up within 64 bits; after 365 days several are still left. */
const sparedBits = 5n;

export function decayWeight(ageMs: number): bigint {
  const minutes = Math.floor(ageMs / 60_000);
  const hours = Math.floor(minutes / 60);
  const halvings = BigInt(Math.floor(hours / hoursPerHalfLife));
  const product = BigInt(hourWeights[hours % hoursPerHalfLife] ?? 0) * BigInt(minuteWeights[minutes % 60] ?? 0);
  return product >> (halvings + sparedBits);
}
