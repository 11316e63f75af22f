/** A pseudo-random generator of numbers from 0 to below 1. The same seed gives the same numbers. */
export function numbersFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
