import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { attributionModels } from '@tributary/vocabulary';
import { identifier } from './template.ts';

const partFolder = join(import.meta.dirname, 'parts');
const texts = new Map<string, string | undefined>();

/** Returns the content of a file without its last line break, read once; undefined if the file does not exist. */
export function readOnce(file: string): string | undefined {
  if (!texts.has(file)) texts.set(file, read(file));
  return texts.get(file);
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trimEnd();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The parts and models that queries are assembled from. Tests may supply their own. */
export interface QuerySources {
  readonly findPart: (name: string) => string | undefined;
  readonly models: Readonly<Record<string, { readonly credit: string }>>;
}

export const defaultSources: QuerySources = {
  findPart: (name) => readOnce(join(partFolder, `${name}.sql`)),
  models: attributionModels,
};

/**
 * Expands the part directives of a query; template.ts expands the others. SQL that several queries share, such as who earned what,
 * is a part and has one file in parts/:
 *
 *     {{part NAME}}                    parts/NAME.sql
 *     {{part NAME by PARAMETER}}       the part named after the parameter's value, as planning unused variants would take time
 *     {{part NAME by credit of PARAMETER}}   the part for models of single or of multiple credits, as the named parameter selects
 *     {{map NAME}}                     a map from each attribution model that has a part NAME_MODEL.sql to that part
 *
 * A missing part and an unknown model are errors, so that a report never shows another model's figures.
 */
export function assemble(
  text: string,
  parameters: Readonly<Record<string, unknown>> = {},
  sources: QuerySources = defaultSources,
): string {
  const { findPart, models } = sources;
  const part = (name: string): string => {
    const found = findPart(name);
    if (found === undefined) throw new Error(`No part of a query is called ${name}.`);
    return assemble(found, parameters, sources);
  };
  const variant = (parameter: string): string => identifier(String(parameters[parameter]));
  const creditOf = (model: string): string => {
    if (!Object.hasOwn(models, model)) throw new Error(`There is no attribution model ${model}.`);
    return models[model]?.credit ?? '';
  };
  return text
    .replaceAll(/\{\{part (\w+)\}\}/g, (_, name: string) => part(name))
    .replaceAll(/\{\{part (\w+) by (\w+)\}\}/g, (_, name: string, by: string) => part(`${name}_${variant(by)}`))
    .replaceAll(/\{\{part (\w+) by credit of (\w+)\}\}/g, (_, name: string, of: string) =>
      part(`${name}_${creditOf(variant(of))}`),
    )
    .replaceAll(/\{\{map (\w+)\}\}/g, (_, name: string) => {
      const modelsWithPart = Object.keys(models).filter((model) => findPart(`${name}_${model}`) !== undefined);
      return `map(${modelsWithPart.map((model) => `'${identifier(model)}', ${part(`${name}_${model}`)}`).join(', ')})`;
    });
}
