import type { OpenapiDocument } from './openapi.ts';

export const operationsOf = ({ paths }: OpenapiDocument) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ at: `${method.toUpperCase()} ${path}`, operation })),
  );

export interface Tree {
  readonly [key: string]: Tree;
}

/** Resolves a reference inside the document. */
export function resolveRef(from: OpenapiDocument, value: object): Tree {
  if (!('$ref' in value)) return value as Tree;
  const path = String(value.$ref).split('/').slice(1);
  return path.reduce((at, key) => at[key] ?? {}, from as unknown as Tree);
}

export function* schemasIn(value: unknown, key = ''): Generator<object> {
  if (value === null || typeof value !== 'object') return;
  if (key === 'schema') yield value;
  for (const [name, inner] of Object.entries(value)) {
    if (key === 'schemas') yield inner;
    else yield* schemasIn(inner, name);
  }
}
