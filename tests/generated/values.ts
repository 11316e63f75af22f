import fc from 'fast-check';
import { z } from 'zod';

/** The part of JSON Schema that zod generates. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly items?: JsonSchema | false;
  readonly prefixItems?: readonly JsonSchema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly propertyNames?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
}

type Values = fc.Arbitrary<unknown>;

/**
 * Values that a zod schema accepts. Refinements are not known here, so callers must parse the values. Bare values have no optional fields,
 * which makes a violated refinement less likely.
 */
export function valuesOf(schema: z.ZodType, { isBare = false } = {}): Values {
  const json = jsonOf(schema);
  return new ValueGenerator(json, isBare).make(json, 0);
}

function jsonOf(schema: z.ZodType): JsonSchema {
  return schema.toJSONSchema({ io: 'input', unrepresentable: 'any', override: readPipeOutput }) as JsonSchema;
}

/** For a pipe such as trim and then e-mail, only the output schema has the format, so it is copied to the input schema. */
function readPipeOutput({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodTypes;
  jsonSchema: { type?: unknown };
}): void {
  const { def } = zodSchema._zod;
  if (def.type !== 'pipe' || !(def.out instanceof z.ZodType)) return;
  const { type, ...constraints } = jsonOf(def.out);
  if (type !== undefined && type === jsonSchema.type) Object.assign(jsonSchema, constraints);
}

/** At this depth recursive schemas end. */
const maxDepth = 4;

class ValueGenerator {
  readonly #root: JsonSchema;
  readonly #isBare: boolean;

  constructor(root: JsonSchema, isBare: boolean) {
    this.#root = root;
    this.#isBare = isBare;
  }

  make(schema: JsonSchema, depth: number): Values {
    if (schema.$ref) return this.make(this.#find(schema.$ref), depth + 1);
    // A schema with a pattern that cannot be generated must have examples.
    if (schema.examples) return fc.constantFrom(...schema.examples);
    if ('const' in schema) return fc.constant(schema.const);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices) {
      // A recursive schema must end: at the maximum depth, choices with references are left out.
      const ends = depth < maxDepth ? [] : choices.filter((choice) => !choice.$ref);
      return fc.oneof(...(ends.length > 0 ? ends : choices).map((choice) => this.make(choice, depth)));
    }
    if (schema.allOf && !schema.type) return this.#all(schema.allOf, depth);
    const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
    if (types.length === 0) return fc.jsonValue({ maxDepth: 2 });
    return fc.oneof(...types.map((type) => this.#ofType(type, schema, depth)));
  }

  #find(reference: string): JsonSchema {
    if (reference === '#') return this.#root;
    const found = this.#root.$defs?.[reference.replace('#/$defs/', '')];
    if (!found) throw new Error(`${reference} is referred to but not defined`);
    return found;
  }

  #all(parts: readonly JsonSchema[], depth: number): Values {
    return fc
      .tuple(...parts.map((part) => this.make(part, depth)))
      .map((values) => Object.assign({}, ...(values as object[])));
  }

  #ofType(type: string, schema: JsonSchema, depth: number): Values {
    switch (type) {
      case 'string':
        return texts(schema);
      case 'integer':
      case 'number':
        return numbers(schema, type === 'integer');
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      case 'array':
        return this.#lists(schema, depth);
      case 'object':
        return this.#objects(schema, depth);
      default:
        throw new Error(`no values can be generated for the type ${type}`);
    }
  }

  #lists({ prefixItems, items, minItems = 0, maxItems }: JsonSchema, depth: number): Values {
    if (prefixItems) return fc.tuple(...prefixItems.map((item) => this.make(item, depth + 1)));
    const most = depth >= maxDepth ? minItems : Math.max(minItems, Math.min(maxItems ?? 3, 3));
    if (most === 0) return fc.constant([]);
    const item = this.make(items || {}, depth + 1);
    const few = fc.array(item, { minLength: minItems, maxLength: most });
    if (depth > 1 || maxItems === undefined || maxItems > 1_000) return few;
    // Repeats one item, because generating a full list would be slow.
    const full = item.map((one) => Array.from({ length: maxItems }, () => one));
    return fc.oneof({ weight: 12, arbitrary: few }, { weight: 1, arbitrary: full });
  }

  #objects({ properties = {}, required = [], propertyNames, additionalProperties }: JsonSchema, depth: number): Values {
    const others = typeof additionalProperties === 'object' ? additionalProperties : undefined;
    const isEnd = this.#isBare || depth >= maxDepth;
    // A record of an enum requires names that it does not list as properties.
    const names = new Set([...required, ...(isEnd ? [] : Object.keys(properties))]);
    // Records have arbitrary keys. For objects with declared fields, mutations add extra fields.
    if (others && names.size === 0 && !isEnd) {
      const keys = this.make(propertyNames ?? { type: 'string' }, depth + 1) as fc.Arbitrary<string>;
      return fc.dictionary(keys, this.make(others, depth + 1), { maxKeys: 3, noNullPrototype: true });
    }
    const fields = [...names].map((name) => [name, this.make(properties[name] ?? others ?? {}, depth + 1)] as const);
    return fc.record(Object.fromEntries(fields), { requiredKeys: [...required], noNullPrototype: true });
  }
}

// Dates lie close together, so that two of them often form a valid period. Extreme dates are among the hostile values.
const moments = fc.date({ min: new Date('2026-01-01'), max: new Date('2026-06-30'), noInvalidDate: true });

const formats: Readonly<Record<string, fc.Arbitrary<string>>> = {
  uuid: fc.uuid({ version: [4, 5, 7] }),
  date: moments.map((at) => at.toISOString().slice(0, 10)),
  'date-time': moments.map((at) => at.toISOString()),
  email: fc.stringMatching(/^[a-z][a-z0-9]{0,9}@[a-z]{1,9}\.(com|org|cl)$/),
  uri: fc.webUrl({ validSchemes: ['https'], withQueryParameters: true }),
  time: moments.map((at) => at.toISOString().slice(11, 19)),
  ipv4: fc.ipV4(),
  ipv6: fc.ipV6(),
};

function texts({ format, pattern, allOf = [], minLength = 0, maxLength }: JsonSchema): fc.Arbitrary<string> {
  const ofFormat = format ? formats[format] : undefined;
  if (ofFormat) return ofFormat;
  const patterns = [pattern, ...allOf.map((part) => part.pattern)].filter((text) => text !== undefined);
  const fits = (text: string) => text.length >= minLength && text.length <= (maxLength ?? Number.POSITIVE_INFINITY);
  if (patterns.length > 0) return matching(patterns, maxLength ?? 60, fits);
  const lengths = { minLength, maxLength: Math.max(minLength, Math.min(maxLength ?? 24, 24)) };
  // Long texts, because a column may be shorter than the declared maximum.
  const longest = Math.min(maxLength ?? 1_000, 5_000);
  return fc.oneof(
    { weight: 8, arbitrary: fc.string({ unit: 'grapheme-ascii', ...lengths }) },
    { weight: 2, arbitrary: only(fc.string({ unit: 'grapheme', ...lengths }), fits, 'of this length') },
    { weight: 1, arbitrary: fc.constantFrom('w', 'é', '語').map((letter) => letter.repeat(longest)) },
  );
}

/** fast-check does not support lookarounds: they are removed from the generated pattern and checked afterwards. */
function matching(
  patterns: readonly string[],
  maxLength: number,
  fits: (text: string) => boolean,
): fc.Arbitrary<string> {
  const regexOf = (pattern: string) => new RegExp(pattern, pattern.includes('\\p{') ? 'u' : '');
  const all = patterns.map(regexOf);
  const wanted = patterns.join(' and ');
  // The longest pattern restricts the most.
  const [longest = ''] = patterns.toSorted((a, b) => b.length - a.length);
  try {
    const made = fc.stringMatching(regexOf(longest.replace(lookarounds, '')), { maxLength });
    return only(made, (text) => fits(text) && all.every((regex) => regex.test(text)), wanted);
  } catch (cause) {
    throw new Error(giveExamples(wanted), { cause });
  }
}

const lookarounds = /\(\?<?[!=](?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*\)/g;
const giveExamples = (wanted: string) =>
  `no text ${wanted} can be generated: give its schema .meta({ examples: [...] })`;

/** A filter that throws when it accepts nothing; fast-check's own would try forever. */
function only<T>(values: fc.Arbitrary<T>, isWanted: (value: T) => boolean, wanted: string): fc.Arbitrary<T> {
  let rejections = 0;
  return values.filter((value) => {
    rejections = isWanted(value) ? 0 : rejections + 1;
    if (rejections > 10_000) throw new Error(giveExamples(wanted));
    return rejections === 0;
  });
}

function numbers(schema: JsonSchema, isWhole: boolean): fc.Arbitrary<number> {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const least = minimum ?? exclusiveMinimum ?? -1_000_000;
  const most = maximum ?? exclusiveMaximum ?? Math.max(least, 0) + 1_000_000;
  const isInside = (value: number) => value !== exclusiveMinimum && value !== exclusiveMaximum;
  if (multipleOf || isWhole) {
    const step = multipleOf ?? 1;
    return fc
      .integer({ min: Math.ceil(least / step), max: Math.floor(most / step) })
      .map((count) => count * step)
      .filter(isInside);
  }
  return fc.double({ min: least, max: most, noNaN: true }).filter(isInside);
}
