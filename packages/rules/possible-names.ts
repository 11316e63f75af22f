import { uuidPattern } from '@tributary/vocabulary';
import { decodeOnce } from './visits/decode.ts';

/**
 * Whatever in a content could be what somebody is known by: in a field of its own, within a sentence, as part of an address, and behind
 * the encodings that these travel in. Nothing here knows who anybody is: too many are named rather than one too few.
 */
export interface PossibleNames {
  /** A caller's own words for a customer. */
  readonly keys: ReadonlySet<string>;
  readonly emails: ReadonlySet<string>;
  /** Phones and national ids, as they are written. */
  readonly numbers: ReadonlySet<string>;
  /** Ids of ours. */
  readonly ids: ReadonlySet<string>;
}

type Found = { [Kind in keyof PossibleNames]: Set<string> };

/** An address in a parameter of an address in a record is three; more nobody writes by accident. */
const maxLayers = 6;
const maxDepth = 20;
/** Shorter ones are words of every message, and would find somebody everywhere. */
const leastLetters = 4;
/** Within a sentence common words are longer. */
const leastLettersWithin = 6;

export function possibleNames(content: unknown): PossibleNames {
  const found: Found = { keys: new Set(), emails: new Set(), numbers: new Set(), ids: new Set() };
  for (const text of new Set(textsIn(content))) readText(text, found);
  return found;
}

function* textsIn(value: unknown, depth = 0): Iterable<string> {
  if (typeof value === 'string' || typeof value === 'number') yield String(value);
  if (value === null || typeof value !== 'object' || depth > maxDepth) return;
  for (const [name, part] of Object.entries(value)) {
    if (/[@%\d]/.test(name) && !Array.isArray(value)) yield name;
    yield* textsIn(part, depth + 1);
  }
}

/** Each layer that an encoding hides is read like the text itself. */
function readText(text: string, found: Found): void {
  const seen = new Set<string>();
  let layer = [text];
  for (let depth = 0; depth < maxLayers && layer.length > 0; depth += 1) {
    const fresh = layer.filter((one) => one.length >= leastLetters && !seen.has(one));
    for (const one of fresh) {
      seen.add(one);
      addNames(plain(one), found);
    }
    layer = fresh.flatMap(unwrapped);
  }
}

/** Full-width letters and invisible characters do not make it another name. */
const plain = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
  /^[\x00-\x7f]*$/.test(text)
    ? text
    : text
        .toWellFormed()
        .normalize('NFKC')
        .replace(/\p{Cf}/gu, '');

function unwrapped(text: string): string[] {
  const inner: string[] = [];
  if (text.includes('%')) inner.push(decodeOnce(text.replace(/%u([0-9a-f]{4})/gi, fromHex)));
  if (text.includes('+')) inner.push(text.replaceAll('+', ' '));
  if (text.includes('&')) inner.push(withoutEntities(text));
  if (text.includes('\\')) inner.push(text.replace(/\\u([0-9a-f]{4})/gi, fromHex).replaceAll(/\\(.)/g, '$1'));
  if (/^\s*["[{]/.test(text)) inner.push(...textsIn(parsed(text)));
  for (const [token] of text.matchAll(/[\w+/-]{12,}={0,2}/g)) {
    const decoded = Buffer.from(token, 'base64url').toString('utf8');
    // What is no text was no base64, or nothing that says a name.
    if (/^[^\p{Cc}\ufffd]{4,}$/u.test(decoded)) inner.push(decoded);
  }
  return inner;
}

const fromHex = (_: string, hex: string): string => String.fromCharCode(Number.parseInt(hex, 16));
const withoutEntities = (text: string): string =>
  text
    .replace(/&#x([0-9a-f]{1,6});?/gi, (_, hex) => codePoint(Number.parseInt(hex, 16)))
    .replace(/&#(\d{1,7});?/g, (_, digits) => codePoint(Number(digits)))
    .replace(/&commat;/gi, '@')
    .replace(/&plus;/gi, '+')
    .replace(/&amp;/gi, '&');
const codePoint = (code: number): string => (code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ' ');

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const ids = new RegExp(uuidPattern, 'gi');

function addNames(text: string, found: Found): void {
  addKeys(text, found.keys);
  if (text.includes('@')) addEmails(text, found.emails);
  addNumbers(text, found.numbers);
  for (const [id] of text.matchAll(ids)) found.ids.add(id.toLowerCase());
}

function addKeys(text: string, keys: Set<string>): void {
  const add = (word: string, least: number) => {
    if (word.length >= least) keys.add(word);
  };
  add(text.trim(), leastLetters);
  // A part of a path and the value of a parameter stand alone, as a field does.
  if (/[/?=#]/.test(text)) for (const piece of text.split(/[/?&=#;]+/)) add(piece.trim(), leastLetters);
  for (const word of text.split(/[\s/?&=#,;:"'`()<>[\]{}|\\]+/)) {
    add(word, leastLettersWithin);
    add(word.replace(/^[.!*~_-]+|[.!*~_-]+$/g, ''), leastLettersWithin);
  }
}

const maxLocalPart = 64;
/** Legal in an address before its @, and far more often what stands before it. */
const beforeAddress = /[/?&=#|{}!*~`^]/;

function addEmails(text: string, emails: Set<string>): void {
  for (const [found] of text.matchAll(/[^\s<>"'(),:;[\]\\@]+@[^\s<>"'(),:;[\]\\@]+/g)) {
    const at = found.indexOf('@');
    const [domain = ''] = /^[\p{L}\p{M}\p{N}.-]*/u.exec(found.slice(at + 1)) ?? [];
    const host = domain.replace(/[.-]+$/, '');
    let local = found.slice(Math.max(0, at - maxLocalPart), at);
    while (local !== '') {
      emails.add(`${local}@${host}`);
      const cut = local.search(beforeAddress);
      if (cut < 0) break;
      local = local.slice(cut + 1);
    }
  }
}

const mostGroups = 6;

/** Runs of digits as people write them; of several in a row, each alone and those that follow each other together. */
function addNumbers(text: string, numbers: Set<string>): void {
  for (const [run] of text.matchAll(/[+(\d][\d\s().'_\u2010-\u2015\u2212-]{4,}[\dkK]/g)) {
    const groups = run.split(/[\s_]+/);
    for (let from = 0; from < groups.length; from += 1) {
      let joined = '';
      for (let next = from; next < Math.min(from + mostGroups, groups.length); next += 1) {
        joined += groups[next];
        const digits = joined.replace(/\D/g, '').length;
        if (digits > 17) break;
        if (digits >= 6) numbers.add(joined);
      }
    }
  }
}
