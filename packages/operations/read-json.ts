import { type Excess, maxJsonDepth, outlineJson } from '@tributary/rules';
import { limits } from '@tributary/vocabulary';
import { Refusal } from './refusal.ts';

/** A body that was read. Items that are beyond their limits are null in their list. */
export interface ReadJson {
  readonly value: unknown;
  readonly faults: readonly { readonly index: number; readonly field: string; readonly message: string }[];
}

const { item: bounds } = limits;

/** Reads a JSON body. Its limits are checked on the bytes: what is beyond them is never built. */
export function readJson(bytes: Uint8Array, list: string | undefined): ReadJson {
  const { excess, items } = outlineJson(bytes, bounds, list);
  if (excess) throw refusalOf(excess, list);
  const value = parseJson(decode(items.length > 0 ? without(bytes, items) : bytes));
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
  if (kind === 'fields') return `must not hold an object with more than ${bounds.fields} fields`;
  if (kind === 'depth') return `must not be nested more than ${bounds.depth} levels deep`;
  return `must not be larger than ${bounds.bytes / 1_024} KiB`;
}

/** With null in place of the items. */
function without(bytes: Uint8Array, items: readonly { readonly start: number; readonly end: number }[]): Uint8Array {
  const parts: Uint8Array[] = [];
  let position = 0;
  for (const { start, end } of items) {
    parts.push(bytes.subarray(position, start), Buffer.from('null'));
    position = end;
  }
  return Buffer.concat([...parts, bytes.subarray(position)]);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function decode(bytes: Uint8Array): string {
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
