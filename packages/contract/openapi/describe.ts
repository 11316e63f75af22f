import { words } from '../words.ts';
import type { JsonSchema } from './schemas.ts';

/** Gives every field of a schema that says nothing of itself the words that its name has. */
export function describedFields(schema: JsonSchema, owner: string): JsonSchema {
  for (const [name, inner] of Object.entries(schema.properties ?? {})) {
    const field = inner as JsonSchema;
    const text = saysItself(field) ? undefined : wordOf(owner, name);
    if (text) field.description = text;
    // The envelope says nothing of what is in it: its fields are the operation's.
    describedFields(field, name === 'data' || name === 'meta' ? owner : name);
  }
  for (const inner of partsOf(schema)) describedFields(inner, owner);
  return schema;
}

/** What a parameter means, where its schema does not say. */
export const parameterWord = (operationId: string, name: string): string | undefined =>
  words[`?${operationId}.${name}`] ?? words[`?${name}`] ?? wordOf(operationId, name);

/** What a named shape is. */
export const shapeWord = (id: string): string | undefined => words[id];

const wordOf = (owner: string, name: string): string | undefined => words[`${owner}.${name}`] ?? words[name];

/** By itself, or by the shape that it refers to. */
const saysItself = ({ description, $ref, anyOf }: JsonSchema): boolean =>
  description !== undefined || $ref !== undefined || (anyOf ?? []).some((one) => (one as JsonSchema).$ref);

function partsOf({ anyOf = [], oneOf = [], allOf = [], items, prefixItems = [], additionalProperties }: JsonSchema) {
  const inner = [...anyOf, ...oneOf, ...allOf, ...prefixItems, items, additionalProperties];
  return inner.filter((one): one is JsonSchema => typeof one === 'object' && !Array.isArray(one));
}
