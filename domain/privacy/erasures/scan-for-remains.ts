import { nameOfCustomer, nameOfIdentifier } from '@tributary/domain/commerce/customers';
import { type IdentifierKind, opaqueIdentifierKinds } from '@tributary/vocabulary';

/**
 * Extracts every identifier that a row could contain, for the verification of an erasure. Deliberately shares no code with the erasure
 * itself, because shared code would have the same blind spots. It reads the row as text, decodes every encoding it knows, and hashes each
 * substring between word boundaries.
 */
export function namesSeenIn(content: unknown): Set<string> {
  const names = new Set<string>();
  const addName = (kind: IdentifierKind, value: string) => void names.add(nameOfIdentifier({ kind, value }));
  for (const view of viewsOf(content)) {
    for (const address of addressesIn(view.toLowerCase().normalize('NFC'))) addName('email', address);
    for (const number of numbersIn(view)) addNumber(number, addName);
    for (const substring of substringsIn(view)) for (const kind of opaqueIdentifierKinds) addName(kind, substring);
    for (const [id] of view.toLowerCase().matchAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g))
      names.add(nameOfCustomer(id));
  }
  return names;
}

/** Whether one of the texts occurs in the content, ignoring case. The texts must be lower case. */
export function standsIn(content: unknown, texts: readonly string[]): boolean {
  if (texts.length === 0) return false;
  for (const view of viewsOf(content)) {
    const small = view.toLowerCase();
    if (texts.some((text) => small.includes(text))) return true;
  }
  return false;
}

const maxViewsPerField = 40;

/** Each field, and every decoded form of it. */
function viewsOf(content: unknown): ReadonlySet<string> {
  const views = new Set<string>();
  const pending = fieldsOf(content);
  // Bounds the decoded forms per field; the number of fields depends on the row.
  const most = pending.length + maxViewsPerField * (pending.length + 1);
  for (let text = pending.pop(); text !== undefined && views.size < most; text = pending.pop()) {
    if (text.length < 4 || views.has(text)) continue;
    views.add(text);
    pending.push(...decodedForms(text));
  }
  return views;
}

function fieldsOf(content: unknown): string[] {
  const fields: string[] = [];
  const json = JSON.stringify(content, (name, value: unknown) => {
    if (typeof value === 'string') fields.push(value);
    if (typeof value === 'number') fields.push(String(value));
    if (/[^a-z_]/.test(name)) fields.push(name);
    return value;
  });
  return json === undefined ? [] : fields;
}

function decodedForms(text: string): string[] {
  const other: string[] = [];
  const add = (one: string) => {
    if (one !== text) other.push(one);
  };
  if (/%[0-9a-f]{2}/i.test(text)) add(fromPercent(text));
  if (text.includes('+')) add(text.replace(/\+/g, ' '));
  if (/&(#|[a-z]+;)/i.test(text))
    add(
      text
        .replace(/&#(x?)([0-9a-f]+);?/gi, (_, hex, code) => character(Number.parseInt(code, hex ? 16 : 10)))
        .replace(/&(amp|commat|plus|period|lowbar|dash);/gi, (_, word) => entities[word.toLowerCase()] ?? ' '),
    );
  if (text.includes('\\'))
    add(text.replace(/\\u([0-9a-f]{4})|\\(.)/gi, (_, hex, one) => (hex ? character(Number.parseInt(hex, 16)) : one)));
  add(text.normalize('NFKC').replace(/[\u00ad\u200b-\u200f\u2060\ufeff]/g, ''));
  for (const [run] of text.matchAll(/[A-Za-z0-9_+/-]{12,}/g)) {
    const bytes = Buffer.from(run, 'base64');
    const inside = bytes.toString('utf8');
    if (Buffer.from(inside, 'utf8').equals(bytes) && !/\p{Cc}/u.test(inside)) other.push(inside);
  }
  return other;
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  commat: '@',
  plus: '+',
  period: '.',
  lowbar: '_',
  dash: '-',
};
const character = (code: number) => (code > 0 && code < 0x110000 ? String.fromCodePoint(code) : ' ');

/** Decodes byte by byte: invalid bytes do not damage the text around them. */
const fromPercent = (text: string): string =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (escaped) => Buffer.from(escaped.replaceAll('%', ''), 'hex').toString('utf8'));

const isLetter = (one: string | undefined) => one !== undefined && /[\p{L}\p{N}]/u.test(one);

/** Extends from every @ to each start and end on a word boundary. */
function* addressesIn(text: string): Iterable<string> {
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const starts: number[] = [];
    for (let start = at - 1; start >= 0 && at - start <= 64 && !/[\s@]/.test(text[start] as string); start -= 1)
      if (!isLetter(text[start - 1]) || start === 0) starts.push(start);
    for (let end = at + 2; end <= text.length && end - at <= 190; end += 1) {
      if (!/[\p{L}\p{M}\p{N}.-]/u.test(text[end - 1] as string)) break;
      if (isLetter(text[end]) || !isLetter(text[end - 1])) continue;
      for (const start of starts) yield text.slice(start, end);
    }
  }
}

/** Groups of digits with up to two separators between them; neighbouring groups are also joined. */
function* numbersIn(text: string): Iterable<string> {
  for (const [run] of text.matchAll(/\d[\d().,'\s_+\u2010-\u2015\u2212-]{3,}[\dkK]/g)) {
    const groups = run.split(/[^\dkK]+/);
    for (let first = 0; first < groups.length; first += 1)
      for (let last = first + 1; last <= Math.min(first + 8, groups.length); last += 1) {
        const number = groups.slice(first, last).join('');
        if (number.length >= 7 && number.length <= 16) yield number;
      }
  }
}

function addNumber(number: string, addName: (kind: IdentifierKind, value: string) => void): void {
  const bare = number.replace(/^0+/, '').toUpperCase();
  if (bare.length >= 7 && bare.length <= 9) addName('national_id', `${bare.slice(0, -1)}-${bare.at(-1)}`);
  if (/\D/.test(bare)) return;
  for (const phone of [`+${bare}`, `+56${bare}`]) {
    addName('phone', phone);
    addName('wa_id', phone);
  }
}

const maxWords = 3;

/** The whole field, its URL parts, and up to three consecutive words. */
function* substringsIn(text: string): Iterable<string> {
  yield text.trim();
  for (const part of text.split(/[/?&=#;]/)) if (part.trim().length >= 4) yield part.trim();
  const words = [...text.matchAll(/[\p{L}\p{M}\p{N}][^\s/?&=#,;:"'`()<>[\]{}|\\]*/gu)];
  for (let first = 0; first < words.length; first += 1)
    for (let last = first; last < Math.min(first + maxWords, words.length); last += 1) {
      const [begin, end] = [words[first], words[last]];
      if (!begin || !end) continue;
      const substring = text.slice(begin.index, end.index + end[0].length);
      for (const one of [substring, substring.replace(/[^\p{L}\p{N}]+$/u, '')]) if (one.length >= 6) yield one;
    }
}
