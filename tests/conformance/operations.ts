import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Route, routes } from '@tributary/contract';

/** The specification's operations, by whether the contract declares them; a declared one is served, or the api does not compile. */
export function servedOperations(): { served: ReadonlySet<string>; unserved: ReadonlySet<string> } {
  const wanted = readFileSync(join(import.meta.dirname, 'operations.tsv'), 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.replace('\t', ' '));
  const declared = new Set(Object.values<Route>(routes).map(({ method, path }) => `${method} ${path}`));
  return {
    served: new Set(wanted.filter((operation) => declared.has(operation))),
    unserved: new Set(wanted.filter((operation) => !declared.has(operation))),
  };
}
