/** Prints the output of a command: a table for people, JSON for programs. */
export function printRows(rows: readonly Record<string, unknown>[], asJson: boolean | undefined, empty: string): void {
  if (asJson) console.log(JSON.stringify(rows, null, 2));
  else if (rows.length === 0) console.log(empty);
  else
    console.table(
      rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, readable(value)]))),
    );
}

/** Prints one created or changed item. */
export function printItem(fields: Record<string, unknown>, asJson: boolean | undefined, sentence: string): void {
  if (asJson) {
    console.log(JSON.stringify(fields, null, 2));
    return;
  }
  console.log(sentence);
  for (const [name, value] of Object.entries(fields)) console.log(`  ${name.padEnd(16)} ${readable(value)}`);
}

export function printError(error: unknown): void {
  const { message, code } = error as Error & { code?: string };
  console.error(message || String(error));
  if (code === 'ECONNREFUSED')
    console.error(
      'Nothing answers there. "tributary doctor" says what is missing, "npm run engines" starts local engines.',
    );
}

function readable(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? value.join(' ') : String(value);
}
