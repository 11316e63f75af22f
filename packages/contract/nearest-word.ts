/** The word that a mistyped one most likely means, or none where nothing is near: a third of its letters may be wrong, two at least. */
export function nearestWord(typed: string, words: readonly string[]): string | undefined {
  const most = Math.max(2, Math.floor(typed.length / 3));
  const near = words
    .filter((word) => Math.abs(word.length - typed.length) <= most)
    .map((word) => ({ word, edits: editsBetween(typed.toLowerCase(), word.toLowerCase()) }))
    .filter(({ edits }) => edits <= most)
    .sort((left, right) => left.edits - right.edits);
  return near[0]?.word;
}

/** How many letters are added, dropped or changed to make one word of the other. */
function editsBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (const [at, other] of [...to].entries()) {
      const changed = (row[at] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(changed, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
