/**
 * A random number from 0 to 1, excluding 1, as a hash of four numbers: the market's seed, the person, the day and the
 * purpose. It has no state, so a number is the same whatever else happens, and a world can be simulated again with
 * one change.
 */
export function hashRandom(seed: number, who: number, when: number, slot: number): number {
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

/** Normally distributed with mean 0 and standard deviation 1. Uses the slot and the slot 7,919 above it. */
export function thrownNormal(seed: number, who: number, when: number, slot: number): number {
  const radius = Math.sqrt(-2 * Math.log(hashRandom(seed, who, when, slot) + 1e-12));
  return radius * Math.cos(2 * Math.PI * hashRandom(seed, who, when, slot + 7_919));
}
