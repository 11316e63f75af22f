/** Processes the items with at most `atOnce` in progress. Starts the next item as soon as one is done. */
export async function inTurn<A>(items: Iterable<A>, atOnce: number, work: (item: A) => Promise<void>): Promise<void> {
  const remaining = Iterator.from(items);
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of remaining) await work(item);
    }),
  );
}
