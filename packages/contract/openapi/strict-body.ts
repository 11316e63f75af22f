import type { Route } from '../route.ts';
import type { JsonSchema } from './schemas.ts';

/** Fields whose content is defined by the caller or by WebAuthn: unknown fields in them are dropped, not rejected. */
const openFields = new Set(['properties', 'user_traits', 'click_ids', 'credential']);

/**
 * Throws if an object of a JSON body accepts unknown fields. A mistyped `amount` of a refund would be dropped, and the whole
 * payment refunded. Exceptions are OAuth forms and the collector, which receives what pages send.
 */
export function requireStrictBody(route: Route, schema: JsonSchema): void {
  if (route.server || (route.body?.contentType ?? 'application/json') !== 'application/json') return;
  const open = findOpenObject(schema, 'body');
  if (open) throw new Error(`${open} accepts unknown fields. Declare it with z.strictObject.`);
}

function findOpenObject(schema: JsonSchema, path: string): string | undefined {
  if (schema.properties && schema.additionalProperties !== false) return path;
  const fields = Object.entries(schema.properties ?? {}).filter(([name]) => !openFields.has(name));
  const parts = [schema.items, schema.additionalProperties, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  return [
    ...fields.map(([name, field]) => ({ path: `${path}.${name}`, part: field })),
    ...[...parts, ...(schema.allOf ?? [])].map((part) => ({ path, part })),
  ]
    .map(({ path, part }) => (isSchema(part) ? findOpenObject(part, path) : undefined))
    .find((found) => found !== undefined);
}

const isSchema = (part: unknown): part is JsonSchema =>
  typeof part === 'object' && part !== null && !Array.isArray(part);
