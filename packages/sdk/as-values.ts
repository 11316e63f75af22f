import { join } from 'node:path';
import * as operations from './operations.ts';

/** For Rolldown and Vite alike. */
interface ValuePlugin {
  readonly name: string;
  load(id: string): string | null;
}

/** Puts what a module exports in its place, as plain values: a bundle then holds the answer, and not all that it was made of. */
export function asValues(file: string, values: Readonly<Record<string, unknown>>): ValuePlugin {
  return {
    name: 'as values',
    load: (id) =>
      id === file
        ? Object.entries(values)
            .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
            .join('\n')
        : null,
  };
}

/** Without it, a bundle of the SDK would hold the contract and zod. */
export const operationsAsValues = (): ValuePlugin => asValues(join(import.meta.dirname, 'operations.ts'), operations);
