import { words } from '../descriptions.ts';
import type { JsonSchema } from './schemas.ts';

/** Adds a description by name to every schema field that has none. */
export function describedFields(schema: JsonSchema, owner: string): JsonSchema {
  for (const [name, inner] of Object.entries(schema.properties ?? {})) {
    const field = inner as JsonSchema;
    const text = hasDescription(field) ? undefined : wordOf(owner, name);
    if (text) field.description = text;
    // The envelope's fields are described for the operation.
    describedFields(field, name === 'data' || name === 'meta' ? owner : name);
  }
  for (const inner of partsOf(schema)) describedFields(inner, owner);
  return schema;
}

/** The description of a parameter whose schema has none. */
export const parameterWord = (operationId: string, name: string): string | undefined =>
  words[`?${operationId}.${name}`] ?? words[`?${name}`] ?? wordOf(operationId, name);

/** The description of a named shape. */
export const shapeWord = (id: string): string | undefined => words[id];

const wordOf = (owner: string, name: string): string | undefined => words[`${owner}.${name}`] ?? words[name];

/** Described by its own text or by the shape that it references. */
const hasDescription = ({ description, $ref, anyOf }: JsonSchema): boolean =>
  description !== undefined || $ref !== undefined || (anyOf ?? []).some((one) => (one as JsonSchema).$ref);

function partsOf({ anyOf = [], oneOf = [], allOf = [], items, prefixItems = [], additionalProperties }: JsonSchema) {
  const inner = [...anyOf, ...oneOf, ...allOf, ...prefixItems, items, additionalProperties];
  return inner.filter((one): one is JsonSchema => typeof one === 'object' && !Array.isArray(one));
}
