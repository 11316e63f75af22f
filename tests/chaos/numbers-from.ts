/** The same numbers for the same seed, between 0 and 1. */
export function numbersFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
