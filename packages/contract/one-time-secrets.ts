import { z } from 'zod';
import type { Answer } from './route.ts';

/** A secret in `data` that is returned only once. The stored response for repeated requests omits it, and its meta says so. */
export function shownOnce<Schema extends z.ZodType>(schema: Schema) {
  const secret = schema
    .optional()
    .describe('In the first answer only: a request that is repeated under its Idempotency-Key is answered without.');
  secrets.add(secret);
  return secret;
}

const secrets = new WeakSet<z.ZodType>();

/** The meta of an answer with secrets. */
export const LeftOut = {
  left_out: z
    .array(z.string())
    .optional()
    .describe('Of a repeated request: the fields that only the first answer held.'),
};

const known = new WeakMap<Answer, readonly string[]>();

/** The fields of `data` that are secrets. Cached per declaration, because every answer is checked. */
export function secretsOf(declared: Answer): readonly string[] {
  const names = known.get(declared) ?? findSecrets(declared);
  known.set(declared, names);
  return names;
}

function findSecrets({ schema }: Answer): readonly string[] {
  const shape = schema instanceof z.ZodObject ? schema.shape.data : undefined;
  if (!(shape instanceof z.ZodObject)) return [];
  return Object.entries<z.ZodType>(shape.shape).flatMap(([name, field]) => (secrets.has(field) ? [name] : []));
}

/** The answer without secrets, as stored for repeated requests. */
export function withoutSecrets(declared: Answer, body: unknown): unknown {
  const names = secretsOf(declared);
  if (names.length === 0) return body;
  const { data, meta, ...rest } = body as { data: object; meta?: object };
  const left = Object.fromEntries(Object.entries(data).filter(([name]) => !names.includes(name)));
  return { data: left, ...rest, meta: { ...meta, left_out: names } };
}
