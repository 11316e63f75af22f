import { z } from 'zod';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Which side of a transform or default is meant: what callers send, or what we answer. */
type Side = 'input' | 'output';

/** Turns zod schemas into JSON Schema. What has a name, `.meta({ id })`, is written once, among the components. */
export class Schemas {
  readonly #named = new Map<string, JsonSchema>();

  of(schema: z.ZodType, side: Side): JsonSchema {
    // Inside an array the schema is never the root, so that one with a name becomes a reference like everywhere else.
    const { items, $defs = {} } = z.toJSONSchema(z.array(schema), { io: side, override: shorten });
    for (const [id, definition] of Object.entries($defs)) this.#name(id, withReferences(definition) as JsonSchema);
    return withReferences(items) as JsonSchema;
  }

  /** The fields of an object, each by itself, as parameters need them. */
  fieldsOf(schema: z.ZodObject, side: Side): { name: string; schema: JsonSchema; required: boolean }[] {
    const json = this.of(schema, side);
    const object = json.$ref ? (this.#named.get(json.$ref.slice(referencePrefix.length)) ?? {}) : json;
    return Object.entries(object.properties ?? {}).map(([name, field]) => ({
      name,
      schema: field as JsonSchema,
      required: object.required?.includes(name) ?? false,
    }));
  }

  /** The schema with each name replaced by what it stands for. */
  resolved(schema: JsonSchema): JsonSchema {
    return JSON.parse(JSON.stringify(schema), (_, value) => {
      const id = (value as JsonSchema | null)?.$ref?.slice(referencePrefix.length);
      const named = id && this.#named.get(id);
      return named ? this.resolved(named) : value;
    });
  }

  /** By name, in the order of the alphabet: the document must not change when a route moves. */
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

/** Says nothing that a reader knows anyway: a format's pattern fills half a screen, and every integer has JavaScript's bounds. */
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
