import type { Route } from '../route.ts';
import { type JsonSchema, referencePrefix } from './schemas.ts';

/** Realistic values by field name, used if they match the schema. */
const known: Readonly<Record<string, unknown>> = {
  name: 'Winter sale',
  email: 'ana@example.com',
  phone: '+56987654321',
  first_name: 'Ana',
  last_name: 'Soto',
  currency: 'USD',
  reporting_currency: 'USD',
  original_currency: 'USD',
  time_zone: 'America/Santiago',
  country: 'CL',
  city: 'Santiago',
  customer_key: 'customer-1',
  external_id: '120210000000000042',
  campaign_external_id: '120210000000000042',
  ad_set_external_id: '120210000000000043',
  ad_external_id: '120210000000000044',
  campaign_name: 'Winter sale',
  ad_set_name: 'Prospecting',
  ad_name: 'Video, 15 s',
  url: 'https://shop.example/boots',
  page_url: 'https://shop.example/boots',
  referrer: 'https://www.google.com/',
  path: '/boots',
  event_name: 'payment_received',
  idempotency_key: 'order-1001',
  value: 199.9,
  cursor: 'eyJhZnRlciI6IjIwMjYtMTEtMDEifQ',
  message: 'is required',
  key: 'payment_received',
  domain: 'shop.example',
  description: 'Paid orders of the shop.',
};

const moment = '2026-11-02T14:30:00.000Z';
const formats: Readonly<Record<string, string>> = {
  uuid: '01890a5d-ac96-774b-bcce-b302099a8057',
  'date-time': moment,
  date: '2026-11-02',
  email: 'ana@example.com',
  uri: 'https://shop.example/boots',
};

/** Texts for common patterns: a word, an amount, a number, a key. */
const patternSamples = ['word', '199.90', '12', 'trk_a1B2a1B2a1B2a1B2a1B2Zz'];

const usuallyFalse = new Set(['has_next', 'is_test', 'is_bot', 'contact_withheld', 'dry_run']);

/** Recursive schemas end at this depth. */
const maxDepth = 12;

/** Builds a deterministic example of a schema: the first of each choice, and every required field. */
export class Examples {
  readonly #shapes: Readonly<Record<string, JsonSchema>>;

  constructor(shapes: Readonly<Record<string, JsonSchema>>) {
    this.#shapes = shapes;
  }

  of(schema: JsonSchema, name = '', depth = 0): unknown {
    if (depth > maxDepth) return null;
    if (schema.$ref) return this.of(this.#shapes[schema.$ref.slice(referencePrefix.length)] ?? {}, name, depth + 1);
    if (schema.examples?.length) return schema.examples[0];
    if ('const' in schema) return schema.const;
    if (schema.enum) return schema.enum[0];
    if (schema.default !== undefined) return schema.default;
    const choice = (schema.anyOf ?? schema.oneOf)?.find((one) => (one as JsonSchema).type !== 'null');
    if (choice) return this.of(choice as JsonSchema, name, depth + 1);
    if (schema.allOf && !schema.type) {
      return Object.assign({}, ...schema.allOf.map((one) => this.of(one as JsonSchema, name, depth + 1)));
    }
    return this.#ofType(schema, name, depth);
  }

  #ofType(schema: JsonSchema, name: string, depth: number): unknown {
    const type = [schema.type].flat()[0];
    const usual = known[name];
    switch (type) {
      case 'string':
        return this.#text(schema, typeof usual === 'string' ? usual : undefined, name);
      case 'integer':
      case 'number':
        return typeof usual === 'number' && type === 'number' ? usual : numberIn(schema);
      case 'boolean':
        return !usuallyFalse.has(name);
      case 'null':
        return null;
      case 'array':
        return this.#list(schema, name, depth);
      case 'object':
        return this.#object(schema, depth);
      default:
        return usual ?? 'anything';
    }
  }

  #text(schema: JsonSchema, usual: string | undefined, name: string): string {
    const format = formats[schema.format ?? ''];
    if (format) return format;
    const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern = '' } = schema;
    const wanted = [usual, name.replaceAll('_', ' '), ...patternSamples].map((text) =>
      text?.padEnd(minLength, '0').slice(0, maxLength),
    );
    return wanted.find((text) => text && new RegExp(pattern, 'u').test(text)) ?? 'text';
  }

  #list({ items, prefixItems, minItems = 0 }: JsonSchema, name: string, depth: number): unknown[] {
    if (prefixItems) return prefixItems.map((one) => this.of(one as JsonSchema, name, depth + 1));
    const one = this.of((items ?? {}) as JsonSchema, name.replace(/s$/, ''), depth + 1);
    return Array.from({ length: Math.max(1, Math.min(minItems, 2)) }, () => one);
  }

  #object({ properties = {}, required = [], additionalProperties, propertyNames }: JsonSchema, depth: number): object {
    const fields = Object.entries(properties).filter(([name]) => required.includes(name));
    const made = fields.map(([name, field]) => [name, this.of(field as JsonSchema, name, depth + 1)]);
    if (made.length > 0 || typeof additionalProperties !== 'object') return Object.fromEntries(made);
    const keys =
      required.length > 0 ? required : [String(this.of((propertyNames ?? { type: 'string' }) as JsonSchema, 'key'))];
    return Object.fromEntries(keys.map((key) => [key, this.of(additionalProperties as JsonSchema, key, depth + 1)]));
  }
}

function numberIn({ minimum, exclusiveMinimum, maximum, multipleOf }: JsonSchema): number {
  const low = minimum ?? (exclusiveMinimum === undefined ? 0 : Number(exclusiveMinimum) + 1);
  const wanted = Math.max(Number(low), Math.min(12, Number(maximum ?? 12)));
  return multipleOf ? Math.ceil(wanted / multipleOf) * multipleOf : wanted;
}

interface Content {
  readonly [type: string]: { readonly schema: JsonSchema; example?: unknown };
}

/** The parts of an operation that get an example. */
export interface Shown {
  readonly parameters?: readonly {
    readonly name: string;
    readonly required: boolean;
    readonly schema: JsonSchema;
    example?: unknown;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

/** Adds an example to every required input and every success response. */
export function giveExamples(
  { parameters = [], requestBody, responses }: Shown,
  { body, answers }: Route,
  examples: Examples,
): void {
  for (const parameter of parameters) {
    if (parameter.required) parameter.example = examples.of(parameter.schema, parameter.name);
  }
  for (const [type, content] of Object.entries(requestBody?.content ?? {})) {
    const example = body?.example ?? examples.of(content.schema);
    content.example = type === 'text/csv' ? csvOf((example as Record<string, object[]>)[body?.items ?? '']) : example;
  }
  for (const [status, { content = {} }] of Object.entries(responses)) {
    const answer = answers[Number(status)];
    for (const one of answer ? Object.values(content) : []) one.example = answer?.example ?? examples.of(one.schema);
  }
}

function csvOf(rows: readonly object[] = []): string {
  const lines = [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))];
  return lines.map((cells) => cells.map((cell) => (/[",]/.test(String(cell)) ? `"${cell}"` : cell)).join()).join('\n');
}
