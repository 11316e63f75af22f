/** Works on the items, so many at once, each of them as soon as one before is done. */
export async function inTurn<A>(items: Iterable<A>, atOnce: number, work: (item: A) => Promise<void>): Promise<void> {
  const open = Iterator.from(items);
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of open) await work(item);
    }),
  );
}
