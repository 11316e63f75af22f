import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** How many of the specification's operations the contract declares; a declared one is served, or the api does not compile. */
export function servedOperations(): { total: number; served: number } {
  const lines = readFileSync(join(import.meta.dirname, 'operations.tsv'), 'utf8')
    .trim()
    .split('\n')
    .slice(1);
  return { total: lines.length, served: 0 };
}
