import { type Excess, maxJsonDepth, outlineJson } from '@tributary/rules/json-outline.ts';
import { limits } from '@tributary/vocabulary';
import { readCsv } from './read-csv.ts';
import { Refusal } from './refusal.ts';

/** The raw bytes of a body, its format and the name of its list. */
export interface BodyText {
  readonly bytes: Uint8Array;
  readonly format: 'json' | 'csv' | 'form';
  /** Name of the list whose items are validated one by one. */
  readonly list: string | undefined;
}

/** A parsed body. Items over a limit are null in their list. */
export interface BodyValue {
  readonly value: unknown;
  readonly faults: readonly { readonly index: number; readonly field: string; readonly message: string }[];
  /** Whether a string in it may contain characters that PostgreSQL cannot store. */
  readonly mayHoldUnkeepable: boolean;
}

const { item: bounds } = limits;
/** The longest list of any route. Longer lists are truncated to one more, so that the schema reports the limit. */
const mostItems = limits.events.maxRows;

/** Parses a body. JSON limits are checked on the bytes, so that oversized items are never parsed. */
export function readBodyText({ bytes, format, list }: BodyText): BodyValue {
  const mayHoldUnkeepable = holdsEscapes(bytes);
  if (format === 'json') return { ...readJson(bytes, list), mayHoldUnkeepable };
  const text = format === 'csv' ? decode(bytes) : Buffer.from(bytes).toString('utf8');
  const value = format === 'csv' ? { [list ?? '']: readCsv(text) } : Object.fromEntries(new URLSearchParams(text));
  return { value, faults: [], mayHoldUnkeepable };
}

/** Such characters are always escaped in JSON and forms. Searching for the escapes avoids walking most bodies. */
function holdsEscapes(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return ['\\u0000', '%00', '\\ud', '\\uD'].some((escaped) => text.includes(escaped));
}

function readJson(bytes: Uint8Array, list: string | undefined): Pick<BodyValue, 'value' | 'faults'> {
  const { excess, items } = outlineJson(bytes, bounds, list);
  if (excess) throw refusalOf(excess, list);
  const value = parseJson(decode(items.length > 0 ? replaceItems(bytes, items) : bytes));
  const members = list === undefined ? undefined : (value as Readonly<Record<string, unknown>> | null)?.[list];
  if (Array.isArray(members) && members.length > mostItems) members.length = mostItems + 1;
  const faults = items.map((item) => ({
    index: item.index,
    field: item.excess.field,
    message: describeExcess(item.excess),
  }));
  return { value, faults };
}

function refusalOf(excess: Excess, list: string | undefined): Refusal {
  if (excess.kind === 'depth' && list === undefined)
    return new Refusal('invalid_request', `The body is nested more than ${maxJsonDepth} levels deep.`);
  const { field } = excess;
  const subject = field ? `The field "${field}"` : 'The body';
  return new Refusal('validation_error', `${subject} ${describeExcess(excess)}.`, { fields: field ? { field } : {} });
}

function describeExcess({ kind }: Excess): string {
  if (kind === 'fields') return `must not contain an object with more than ${bounds.fields} fields`;
  if (kind === 'depth') return `must not be nested more than ${bounds.depth} levels deep`;
  return `must not be larger than ${bounds.bytes / 1_024} KiB`;
}

/** Replaces each item with null. */
function replaceItems(
  bytes: Uint8Array,
  items: readonly { readonly start: number; readonly end: number }[],
): Uint8Array {
  const parts: Uint8Array[] = [];
  let position = 0;
  for (const { start, end } of items) {
    parts.push(bytes.subarray(position, start), Buffer.from('null'));
    position = end;
  }
  return Buffer.concat([...parts, bytes.subarray(position)]);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Refusal('invalid_request', 'The body is not valid UTF-8.');
  }
}

function parseJson(text: string): unknown {
  try {
    // A key "__proto__" becomes an own property here, and the schemas copy only what they declare.
    return JSON.parse(text);
  } catch (error) {
    throw new Refusal(
      'invalid_request',
      `The body is not valid JSON: ${(error as Error).message.replace(/"[^"]*"/g, '…').slice(0, 120)}`,
    );
  }
}
