/**
 * A number from 0 up to, and without, 1 that follows from four: the market's seed, who, when and what for. Nothing is used up, so a
 * throw is the same whatever else happens, and a world can be lived again with one thing changed.
 */
export function thrown(seed: number, who: number, when: number, slot: number): number {
  let hash =
    (seed ^
      Math.imul(who, 0x9e3779b1) ^
      Math.imul(when + 0x7f4a7c15, 0x85ebca77) ^
      Math.imul(slot + 0x165667b1, 0xc2b2ae3d)) |
    0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  hash ^= hash >>> 16;
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash ^= hash >>> 12;
  return (hash >>> 0) / 0x1_0000_0000;
}

/** Of mean 0 and spread 1. Takes the slot and the one 7,919 above it. */
export function thrownNormal(seed: number, who: number, when: number, slot: number): number {
  const radius = Math.sqrt(-2 * Math.log(thrown(seed, who, when, slot) + 1e-12));
  return radius * Math.cos(2 * Math.PI * thrown(seed, who, when, slot + 7_919));
}
