/**
 * A transaction is limited to one profile by row-level security. This many profiles are processed in parallel, since
 * each waits for the database.
 */
const concurrency = 4;

export async function eachProfile<Item extends { readonly profileId: string }>(
  items: readonly Item[],
  work: (profileId: string, items: readonly Item[]) => Promise<void>,
): Promise<void> {
  const waiting = [...Map.groupBy(items, ({ profileId }) => profileId)];
  const worker = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) await work(...next);
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, waiting.length) }, worker));
}
