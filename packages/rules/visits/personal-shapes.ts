import { uuidPattern } from '@tributary/vocabulary';
import { normaliseRut } from '../rut.ts';
import { decodeOnce } from './decode.ts';
import { type MaskWord, maskWords, personalName } from './personal-names.ts';

/**
 * Whether a piece of a URL looks like personal data: an e-mail address, a phone number, a national id, a secret.
 * Ambiguous text counts as personal. A page counted under a mask word is a small loss; a phone number in the
 * analytics store is not.
 */

/** `campaign`: a campaign tag, in which long numbers are platform ids and names may be long and unusual. */
export type TextContext = 'campaign' | 'elsewhere';

const words: ReadonlySet<string> = new Set(Object.values(maskWords));
export const isMaskWord = (text: string): boolean => text.charCodeAt(0) === tilde && words.has(text);

const tilde = 126;
/** More layers of encoding do not occur by accident. */
const maxLayers = 6;
const minTokenCharacters = 20;
/** Longer pieces are useless for reports and expensive to check. */
const maxCharacters = 1_024;
const maxNamesWithin = 64;

/**
 * The number of characters checked in detail per request: each layer of encoding counts again, and few pieces have
 * two.
 */
const maxEffort = 128 * 1_024;

/**
 * The remaining budget of a request for detailed checks, so that no request slows down the others. It counts
 * characters instead of time: a retried request must be masked exactly as before.
 */
export class Effort {
  #left: number;

  constructor(characters = maxEffort) {
    this.#left = characters;
  }

  /** Returns false when the budget is exhausted. */
  take(characters: number): boolean {
    this.#left -= characters;
    return this.#left >= 0;
  }
}

/**
 * The kind of personal data in a raw piece of a URL, if any. When the budget is exhausted, everything counts as
 * personal.
 */
export function personalShape(raw: string, context: TextContext, effort: Effort): MaskWord | undefined {
  if (!mayBePersonal(raw) || isMaskWord(raw)) return undefined;
  if (raw.length > maxCharacters) return maskWords.token;
  let text = plain(raw);
  for (let layer = 0; ; layer += 1) {
    // Normalisation expands some single characters to words.
    if (text.length > maxCharacters || !effort.take(text.length)) return maskWords.token;
    const decoded = text.includes('%') ? decodeLayer(text) : text;
    if (decoded === text) return shapeOf(text, context);
    if (layer === maxLayers) return maskWords.token;
    // Normalisation may produce another percent sign.
    text = plain(decoded);
  }
}

/** Some old pages encode a character as %u and its number. */
const decodeLayer = (text: string): string =>
  decodeOnce(text).replace(/%u([0-9a-f]{4})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));

/** A scan without allocations, by which most pieces pass. */
function mayBePersonal(text: string): boolean {
  let digits = 0;
  let run = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= 48 && code <= 57) {
      digits += 1;
      run += 1;
    } else if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90)) run += 1;
    // - _ + / do not end a token, because base64 uses them.
    else if (code === 45 || code === 95 || code === 43 || code === 47) run += 1;
    // % @ = : may hide anything, and so may non-ASCII characters.
    else if (code === 37 || code === 64 || code === 61 || code === 58 || code > 127) return true;
    else run = 0;
    if (digits >= 7 || run >= minTokenCharacters) return true;
  }
  return false;
}

/** Full-width letters, digits of other scripts and invisible characters do not make a different number. */
function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
  if (/^[\x00-\x7f]*$/.test(text)) return text;
  return text
    .toWellFormed()
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{Mn}]/gu, '')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/(?![0-9])\p{Nd}/gu, '0');
}

/** Each check runs only if the text can match: this code runs for every page view. */
function shapeOf(text: string, context: TextContext): MaskWord | undefined {
  if (context === 'campaign' && /^\d+$/.test(text)) return isMobile(text) ? maskWords.phone : undefined;
  if (text.includes('@') && /[^\s@/?&=#,;]\s?@\s?[\p{L}\p{N}[]/u.test(text)) return maskWords.email;
  const named = text.includes('=') || text.includes(':') ? namedWithin(text) : undefined;
  if (named) return named;
  const number = hasDigits(text, 7) ? (nationalIdIn(text, context) ?? phoneIn(text, context)) : undefined;
  return number ?? (hasToken(text, context) ? maskWords.token : undefined);
}

function hasDigits(text: string, atLeast: number): boolean {
  let digits = 0;
  for (let index = 0; index < text.length && digits < atLeast; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= 48 && code <= 57) digits += 1;
  }
  return digits >= atLeast;
}

/** A URL or record inside the piece has names of its own: `next=/cart?email=x`, `{"name":"x"}`. */
function namedWithin(text: string): MaskWord | undefined {
  let names = 0;
  for (const [, name = ''] of text.matchAll(/([\w.[\]-]{1,64})["']?\s?[=:](?=\s?["']?[^\s"'&=:])/g)) {
    names += 1;
    const word = names > maxNamesWithin ? maskWords.token : personalName(name);
    if (word) return word;
  }
  return undefined;
}

/**
 * A Chilean RUT with a correct check digit. In a campaign tag, one without dots and hyphen is treated as an ordinary
 * id.
 */
function nationalIdIn(text: string, context: TextContext): MaskWord | undefined {
  for (const [found] of text.matchAll(/(?<!\d)\d{1,2}(?:[.\s_-]?\d{3}){2}[.\s_-]?[\dkK](?![a-zA-Z\d])/g)) {
    if (context === 'campaign' && /^\d+$/.test(found)) continue;
    if (normaliseRut(found)) return maskWords.nationalId;
  }
  return undefined;
}

// Dates, not phone numbers. Only with separators, and not within a longer number.
const dates =
  /(?<![\d+][-.\s]?)(?:(?:19|20)\d\d([-._/])[01]?\d\1[0-3]?\d|[0-3]?\d([-._/])[01]?\d\2(?:19|20)\d\d)(?![-.\s]?\d)/g;

function phoneIn(text: string, context: TextContext): MaskWord | undefined {
  const withoutDates = text.replace(dates, 'd');
  for (const [found] of withoutDates.matchAll(/\+?\d[\d\s().+_-]*\d/g)) {
    const digits = found.replace(/\D/g, '').length;
    if (digits < 8) continue;
    if (context === 'campaign' ? isPhoneInCampaign(found, digits) : isPhone(found, digits)) {
      return digits > 15 ? maskWords.token : maskWords.phone;
    }
  }
  return undefined;
}

function isPhone(text: string, digits: number): boolean {
  if (/^\d+$/.test(text)) return digits >= 9;
  // A price is not a phone number.
  return !/^\d{1,9}\.\d{1,2}$/.test(text);
}

/**
 * Platform ids are bare digits, and so may be a phone number; all except Chilean mobile numbers are treated as ids.
 */
const isMobile = (digits: string): boolean => /^569\d{8}$/.test(digits);

function isPhoneInCampaign(text: string, digits: number): boolean {
  if (/^\d+$/.test(text)) return isMobile(text);
  if (/^\+\d/.test(text)) return digits <= 15;
  return digits >= 9 && digits <= 15 && /^\(?\d{1,4}\)?(?:[ .-]{1,2}\(?\d{1,4}\)?){2,}$/.test(text);
}

const anyUuid = new RegExp(`(?<![0-9a-f])${uuidPattern}`, 'i');

/** Long text that people would not write: keys, hashes, signatures, session ids. */
function hasToken(text: string, context: TextContext): boolean {
  if (text.length < minTokenCharacters) return false;
  // A signed token begins with {" in base64.
  if (/eyJ[\w-]{12}/.test(text)) return true;
  if (anyUuid.test(text)) return true;
  // Base64 contains + and /, but paths and words are separated by them, too; so both the whole run and its parts are
  // checked.
  for (const [run] of text.matchAll(/[\w+/=-]{20,}/g)) {
    if (isToken(run, context)) return true;
    for (const part of run.split(/[+/=]+/))
      if (part !== run && part.length >= minTokenCharacters && isToken(part, context)) return true;
  }
  return false;
}

/**
 * Whether a run is random characters rather than words and small numbers, as in titles and campaign names: counts the
 * characters in pieces that people would not write. Of 200,000 random base64 strings it misses 11 to 21 of 20
 * characters, 1 to 3 of 22 and none of 43; of hexadecimal ones none. In campaign tags, where names must be kept, it
 * misses far more: of base64 1 in 11, 1 in 16 and 1 in 340, of 20 lower-case letters and digits 1 in 5.
 */
function isToken(run: string, context: TextContext): boolean {
  let unusual = 0;
  for (const piece of run.split(/[^A-Za-z0-9]+/)) {
    if (context === 'campaign') {
      if (piece.length > 3 && isOddName(piece)) unusual += piece.length;
    } else if (piece.length >= minTokenCharacters) return true;
    else if (!plainPiece.test(piece) || isUnpronounceable(piece)) unusual += piece.length;
  }
  return unusual >= (context === 'campaign' ? 16 : 3);
}

/**
 * A word, an abbreviation, a number, a model or size like `s24` and `256gb`, or a compound like `iPhone` and
 * `MacBook`.
 */
const plainPiece =
  /^(?:[a-z]*|[A-Z][a-z]*|[A-Z]*|\d{1,6}|[a-z]{0,4}\d{1,5}[a-z]{0,4}|[A-Z]{0,4}\d{1,5}[A-Z]{0,4}|[A-Z]?[a-z]+\d{1,4}|[a-z]?(?:[A-Z][a-z]{2,})+\d{0,4})$/;

const isUnpronounceable = (piece: string): boolean => piece.length >= 4 && /^[^aeiouy\d]*$/i.test(piece);

/** Letters and digits, upper and lower case, alternate more often than in any name. */
function isOddName(piece: string): boolean {
  if (/^\d+$/.test(piece)) return false;
  if (piece.length >= minTokenCharacters && /^[0-9a-f]+$/i.test(piece)) return true;
  const units = piece.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g)?.length ?? 1;
  return piece.length / units < 3 || piece.length >= 40;
}
