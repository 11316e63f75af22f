import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { attributionModels } from '@tributary/vocabulary';
import { identifier } from './template.ts';

const partFolder = join(import.meta.dirname, 'parts');
const texts = new Map<string, string | undefined>();

/** The text of a file without its last line break, read once; undefined where there is none. */
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

/** What queries are put together from; a test may bring parts and models of its own. */
export interface Material {
  readonly findPart: (name: string) => string | undefined;
  readonly models: Readonly<Record<string, { readonly credit: string }>>;
}

export const ownMaterial: Material = {
  findPart: (name) => readOnce(join(partFolder, `${name}.sql`)),
  models: attributionModels,
};

/**
 * Writes out what a query says of parts between double braces; template.ts writes the rest. What several queries must mean alike, like who earned what, is a part and
 * stands once in parts/:
 *
 *     {{part NAME}}                    parts/NAME.sql
 *     {{part NAME by PARAMETER}}       the one that is named after the parameter's value: the engine takes long to plan what it will not do
 *     {{part NAME by credit of PARAMETER}}   the one for models of a single or of multiple credits, whichever the parameter names
 *     {{map NAME}}                     a map from each attribution model that has a part NAME_MODEL.sql to what the part says
 *
 * A part that is not there is an error, and so is a model: nobody gets another model's figures.
 */
export function assemble(
  text: string,
  parameters: Readonly<Record<string, unknown>> = {},
  material: Material = ownMaterial,
): string {
  const { findPart, models } = material;
  const part = (name: string): string => {
    const found = findPart(name);
    if (found === undefined) throw new Error(`No part of a query is called ${name}.`);
    return assemble(found, parameters, material);
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
      const known = Object.keys(models).filter((model) => findPart(`${name}_${model}`) !== undefined);
      return `map(${known.map((model) => `'${identifier(model)}', ${part(`${name}_${model}`)}`).join(', ')})`;
    });
}
