import { maxJsonDepth } from './json-depth.ts';

export { maxJsonDepth };

/** Limits of one item: fields per object, nesting levels, and bytes as sent. */
export interface ItemBounds {
  readonly fields: number;
  readonly depth: number;
  readonly bytes: number;
}

export interface Excess {
  readonly kind: 'fields' | 'depth' | 'bytes';
  /** The top-level field of the item that exceeds the limit, or empty. */
  readonly field: string;
}

export interface ExcessiveItem {
  readonly index: number;
  /** Byte range of its text. */
  readonly start: number;
  readonly end: number;
  readonly excess: Excess;
}

export interface Outline {
  /** The first violation outside the list's items, or in the whole text without a list. */
  readonly excess: Excess | undefined;
  readonly items: readonly ExcessiveItem[];
}

const quote = 0x22;
const backslash = 0x5c;

/**
 * Checks the limits of a JSON text in one pass without parsing it: parsing 250,000 fields takes 30 times as long as scanning their bytes.
 * With `list`, each element of that top-level member is an item; without such a member, the whole text is the item. Invalid JSON is
 * accepted here and rejected by the parser, which never sees an item over a limit.
 */
export function outlineJson(bytes: Uint8Array, bounds: ItemBounds, list?: string): Outline {
  const fields = new Uint32Array(maxJsonDepth + 2);
  const items: ExcessiveItem[] = [];
  const at = { keyStart: 0, keyEnd: 0 };
  let depth = 0;
  /** The depth of the item's own object: 1 outside the list, 3 inside. */
  let own = 1;
  let index = 0;
  let start = 0;
  let excess: Excess | undefined;
  let listBytes = 0;

  const violation = (kind: Excess['kind']): Excess => ({
    kind,
    field: depth > own ? fieldName(bytes.subarray(at.keyStart, at.keyEnd)) : '',
  });
  const endItem = (end: number) => {
    if (end - start > bounds.bytes) excess ??= { kind: 'bytes', field: '' };
    if (excess) items.push({ index, start, end, excess });
    excess = undefined;
    index += 1;
    start = end + 1;
  };

  for (let position = 0; position < bytes.length; position += 1) {
    switch (bytes[position]) {
      case quote: {
        const textStart = position + 1;
        for (position = textStart; position < bytes.length && bytes[position] !== quote; position += 1)
          if (bytes[position] === backslash) position += 1;
        if (depth === own) {
          at.keyStart = textStart;
          at.keyEnd = position;
        }
        break;
      }
      case 0x3a: // :
        if (depth > 0 && depth <= maxJsonDepth) {
          fields[depth] = (fields[depth] ?? 0) + 1;
          if ((fields[depth] ?? 0) > bounds.fields) excess ??= violation('fields');
        }
        break;
      case 0x7b: // {
      case 0x5b: {
        const isList =
          list !== undefined && bytes[position] === 0x5b && depth === 1 && own === 1 && isText(bytes, at, list);
        depth += 1;
        if (depth <= maxJsonDepth) fields[depth] = 0;
        if (isList) {
          own = 3;
          start = position + 1;
          listBytes -= start;
        } else if (depth > maxJsonDepth || (list !== undefined && depth - own > bounds.depth))
          excess ??= violation('depth');
        break;
      }
      case 0x2c: // ,
        if (own === 3 && depth === 2) endItem(position);
        break;
      case 0x7d: // }
      case 0x5d:
        if (own === 3 && depth === 2) {
          endItem(position);
          own = 1;
          listBytes += position;
        }
        depth -= 1;
        break;
      default:
    }
    // Inside the list the scan continues, because the next item may be valid.
    if (excess && own === 1) return { excess, items };
  }
  if (own === 3) {
    endItem(bytes.length);
    listBytes += bytes.length;
  }
  if (list !== undefined && bytes.length - listBytes > bounds.bytes) excess = { kind: 'bytes', field: '' };
  return { excess, items };
}

function isText(bytes: Uint8Array, { keyStart, keyEnd }: { keyStart: number; keyEnd: number }, text: string): boolean {
  if (keyEnd - keyStart !== text.length) return false;
  for (let index = 0; index < text.length; index += 1)
    if (bytes[keyStart + index] !== text.charCodeAt(index)) return false;
  return true;
}

/** The field name for the error message, only if it looks like an identifier: it may be an e-mail address. */
function fieldName(bytes: Uint8Array): string {
  const text = bytes.length <= 60 ? String.fromCharCode(...bytes) : '';
  return /^\w{1,60}$/.test(text) ? text : '';
}
