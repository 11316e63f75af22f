import { join } from 'node:path';
import * as operations from './operations.ts';

/** A plugin that works in Rolldown and Vite. */
interface ValuePlugin {
  readonly name: string;
  load(id: string): string | null;
}

/**
 * Replaces a module by its exports as JSON values, so that a bundle contains the computed values and not the code that computes
 * them.
 */
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

/** Without this plugin, a bundle of the SDK would contain the contract and zod. */
export const operationsAsValues = (): ValuePlugin => asValues(join(import.meta.dirname, 'operations.ts'), operations);
