import { z } from 'zod';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** The side of a transform or default: what callers send, or what we return. */
type Side = 'input' | 'output';

/** Converts zod schemas to JSON Schema. Schemas with a name (`.meta({ id })`) are defined once, among the components. */
export class Schemas {
  readonly #named = new Map<string, JsonSchema>();

  of(schema: z.ZodType, side: Side): JsonSchema {
    // Wrapped in an array, so that a named schema is never the root and becomes a reference as everywhere else.
    const { items, $defs = {} } = z.toJSONSchema(z.array(schema), { io: side, override: shorten });
    for (const [id, definition] of Object.entries($defs)) this.#name(id, withReferences(definition) as JsonSchema);
    return withReferences(items) as JsonSchema;
  }

  /** The fields of an object, separately, as needed for parameters. */
  fieldsOf(schema: z.ZodObject, side: Side): { name: string; schema: JsonSchema; required: boolean }[] {
    const json = this.of(schema, side);
    const object = json.$ref ? (this.#named.get(json.$ref.slice(referencePrefix.length)) ?? {}) : json;
    return Object.entries(object.properties ?? {}).map(([name, field]) => ({
      name,
      schema: field as JsonSchema,
      required: object.required?.includes(name) ?? false,
    }));
  }

  /** The schema with all references replaced by their definitions. */
  resolved(schema: JsonSchema): JsonSchema {
    return JSON.parse(JSON.stringify(schema), (_, value) => {
      const id = (value as JsonSchema | null)?.$ref?.slice(referencePrefix.length);
      const named = id && this.#named.get(id);
      return named ? this.resolved(named) : value;
    });
  }

  /** Sorted by name, so that the document does not change when a route moves. */
  components(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#named].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #name(id: string, schema: JsonSchema): void {
    if (id.startsWith('__')) throw new Error('A schema that contains itself needs a name: .meta({ id }).');
    const known = this.#named.get(id);
    if (known && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`"${id}" names two different schemas, or one that reads differently in requests and answers.`);
    }
    this.#named.set(id, schema);
  }
}

export const referencePrefix = '#/components/schemas/';

/** Removes redundant parts: the pattern of a format, and JavaScript's bounds on integers. */
export function shorten({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  if (jsonSchema.format) delete jsonSchema.pattern;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

function withReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withReferences);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === '$ref' && typeof inner === 'string'
        ? inner.replace(/^#\/\$defs\//, referencePrefix)
        : withReferences(inner),
    ]),
  );
}
