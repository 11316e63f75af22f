import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Route, routes } from '@tributary/contract';

/** How many of the specification's operations the contract declares; a declared one is served, or the api does not compile. */
export function servedOperations(): { total: number; served: number } {
  const wanted = readFileSync(join(import.meta.dirname, 'operations.tsv'), 'utf8')
    .trim()
    .split('\n')
    .slice(1);
  const declared = new Set(Object.values<Route>(routes).map(({ method, path }) => `${method}\t${path}`));
  return { total: wanted.length, served: wanted.filter((operation) => declared.has(operation)).length };
}
