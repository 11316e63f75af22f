/** A wall stands before one profile at a time; a few are worked on side by side, because each waits for the database. */
const sideBySide = 4;

export async function eachProfile<Item extends { readonly profileId: string }>(
  items: readonly Item[],
  work: (profileId: string, items: readonly Item[]) => Promise<void>,
): Promise<void> {
  const waiting = [...Map.groupBy(items, ({ profileId }) => profileId)];
  const lane = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) await work(...next);
  };
  await Promise.all(Array.from({ length: Math.min(sideBySide, waiting.length) }, lane));
}
