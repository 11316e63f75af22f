import { z } from 'zod';
import type { Route } from '../route.ts';
import { type JsonSchema, shorten } from './schemas.ts';

/** All arguments of a route by name, whether in path, query or body. For callers that do not use HTTP. */
export function argumentsOf(route: Route): JsonSchema {
  const shape = { ...partsOf(route).params, ...partsOf(route).query, ...partsOf(route).body };
  const schema = z.toJSONSchema(z.strictObject(shape), { io: 'input', override: shorten });
  delete schema.$schema;
  return schema;
}

/** The argument names by location. */
export function partsOf({ id, params, query, body }: Route) {
  if (body && !(body.schema instanceof z.ZodObject)) throw new Error(`The body of ${id} has no fields to name.`);
  return {
    params: params?.shape ?? {},
    query: query?.shape ?? {},
    body: body ? (body.schema as z.ZodObject).shape : {},
  };
}
