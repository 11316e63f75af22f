/**
 * Suggests the nearest word for a mistyped one; undefined if none is within an edit distance of a third of its length (at least
 * two).
 */
export function nearestWord(typed: string, words: readonly string[]): string | undefined {
  const most = Math.max(2, Math.floor(typed.length / 3));
  const near = words
    .filter((word) => Math.abs(word.length - typed.length) <= most)
    .map((word) => ({ word, edits: editDistance(typed.toLowerCase(), word.toLowerCase()) }))
    .filter(({ edits }) => edits <= most)
    .sort((left, right) => left.edits - right.edits);
  return near[0]?.word;
}

/** The edit distance: insertions, deletions and substitutions. */
function editDistance(from: string, to: string): number {
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
