/** Caches results by argument. Meant for one batch, whose values repeat: the cache is garbage-collected with it. */
export function memoize<Result>(compute: (word: string) => Result): (word: string) => Result {
  const cache = new Map<string, Result>();
  return (word) => {
    let result = cache.get(word);
    if (result === undefined) {
      result = compute(word);
      cache.set(word, result);
    }
    return result;
  };
}
