import { uuidPattern } from '@tributary/vocabulary';
import { decodeOnce } from './visits/decode.ts';

/**
 * Collects everything in a content that could identify a person: in a field of its own, within a sentence, as part of
 * a URL, and behind common encodings. It has no access to customers, so it returns too many candidates rather than
 * too few.
 */
export interface PossibleNames {
  /** Keys that callers chose for customers. */
  readonly keys: ReadonlySet<string>;
  readonly emails: ReadonlySet<string>;
  /** Phone numbers and national ids, as written. */
  readonly numbers: ReadonlySet<string>;
  /** Our own ids. */
  readonly ids: ReadonlySet<string>;
}

type Found = { [Kind in keyof PossibleNames]: Set<string> };

/** A URL in a parameter of a URL in a record has three layers; more do not occur by accident. */
const maxLayers = 6;
const maxDepth = 20;
/** Shorter candidates are ordinary words, and would match everywhere. */
const minLetters = 4;
/** Words within a sentence need to be longer. */
const minLettersInSentence = 6;

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

/** Decodes each layer of encoding and reads it like the text itself. */
function readText(text: string, found: Found): void {
  const seen = new Set<string>();
  let layer = [text];
  for (let depth = 0; depth < maxLayers && layer.length > 0; depth += 1) {
    const fresh = layer.filter((one) => one.length >= minLetters && !seen.has(one));
    for (const one of fresh) {
      seen.add(one);
      addNames(plain(one), found);
    }
    layer = fresh.flatMap(decodings);
  }
}

/** Full-width letters and invisible characters do not make a different name. */
const plain = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
  /^[\x00-\x7f]*$/.test(text)
    ? text
    : text
        .toWellFormed()
        .normalize('NFKC')
        .replace(/\p{Cf}/gu, '');

function decodings(text: string): string[] {
  const inner: string[] = [];
  if (text.includes('%')) inner.push(decodeOnce(text.replace(/%u([0-9a-f]{4})/gi, fromHex)));
  if (text.includes('+')) inner.push(text.replaceAll('+', ' '));
  if (text.includes('&')) inner.push(withoutEntities(text));
  if (text.includes('\\')) inner.push(text.replace(/\\u([0-9a-f]{4})/gi, fromHex).replaceAll(/\\(.)/g, '$1'));
  if (/^\s*["[{]/.test(text)) inner.push(...textsIn(parsed(text)));
  for (const [token] of text.matchAll(/[\w+/-]{12,}={0,2}/g)) {
    const decoded = Buffer.from(token, 'base64url').toString('utf8');
    // If the result is not text, the token was not base64.
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
  add(text.trim(), minLetters);
  // Path segments and parameter values are candidates of their own, like fields.
  if (/[/?=#]/.test(text)) for (const piece of text.split(/[/?&=#;]+/)) add(piece.trim(), minLetters);
  for (const word of text.split(/[\s/?&=#,;:"'`()<>[\]{}|\\]+/)) {
    add(word, minLettersInSentence);
    add(word.replace(/^[.!*~_-]+|[.!*~_-]+$/g, ''), minLettersInSentence);
  }
}

const maxLocalPart = 64;
/** Legal in the local part of an address, but more often a separator before it. */
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

/** Runs of digits as people write them: each group alone, and adjacent groups joined. */
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
