import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Route, routes } from '@tributary/contract';

interface Operation {
  readonly name: string;
  /** Any one of these scopes is enough. For an operation without scopes, the credential kinds. */
  readonly scopes: readonly string[];
}

/** The specification's operations with their scopes. */
export const specifiedOperations = (): Operation[] =>
  readFileSync(join(import.meta.dirname, 'operations.tsv'), 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [method, path, scopes = ''] = line.split('\t');
      return { name: `${method} ${path}`, scopes: scopes.split(' ') };
    });

/** Splits the operations by whether the contract declares them. A declared operation is served, or the API would not compile. */
export function servedOperations(): { served: ReadonlySet<string>; unserved: ReadonlySet<string> } {
  const wanted = specifiedOperations().map(({ name }) => name);
  const declared = new Set(Object.values<Route>(routes).map(({ method, path }) => `${method} ${path}`));
  return {
    served: new Set(wanted.filter((operation) => declared.has(operation))),
    unserved: new Set(wanted.filter((operation) => !declared.has(operation))),
  };
}
