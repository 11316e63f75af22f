import { uuidPattern } from '@tributary/vocabulary';
import { normaliseRut } from '../rut.ts';
import { decodeOnce } from './decode.ts';
import { type MaskWord, maskWords, personalName } from './personal-names.ts';

/**
 * Whether a piece of an address looks like something personal: an e-mail address, a phone, a national id, a secret. When in
 * doubt it does. A page that is counted under a word instead of its number is a small loss; a person's phone in the warehouse is not.
 */

/** `campaign`: a tag of the campaign, where long numbers are the platform's ids and names are long and odd. */
export type Place = 'campaign' | 'elsewhere';

const words: ReadonlySet<string> = new Set(Object.values(maskWords));
export const isMaskWord = (text: string): boolean => text.charCodeAt(0) === tilde && words.has(text);

const tilde = 126;
/** More layers than this nobody writes by accident. */
const maxLayers = 6;
const minTokenCharacters = 20;
/** A single piece that is longer is nothing a report needs, and looking at it closely would take time. */
const maxCharacters = 1_024;
const maxNamesWithin = 64;

/** Characters that are looked at closely in one request: each layer of encoding is another look, and few pieces have two. */
const maxEffort = 128 * 1_024;

/**
 * How much looking a request has left, so that none takes the time of the others. It is counted in characters and not in time: a
 * request that is sent again must be masked as it was before.
 */
export class Effort {
  #left: number;

  constructor(characters = maxEffort) {
    this.#left = characters;
  }

  /** False once all is spent. */
  take(characters: number): boolean {
    this.#left -= characters;
    return this.#left >= 0;
  }
}

/** What the raw piece of an address hides, if anything. What nobody has the time to look at hides something. */
export function personalShape(raw: string, place: Place, effort: Effort): MaskWord | undefined {
  if (!isWorthALook(raw) || isMaskWord(raw)) return undefined;
  if (raw.length > maxCharacters) return maskWords.token;
  let text = plain(raw);
  for (let layer = 0; ; layer += 1) {
    // Some single characters are words when they are made plain.
    if (text.length > maxCharacters || !effort.take(text.length)) return maskWords.token;
    const decoded = text.includes('%') ? decodeLayer(text) : text;
    if (decoded === text) return shapeOf(text, place);
    if (layer === maxLayers) return maskWords.token;
    // Among what it makes plain may be another percent sign.
    text = plain(decoded);
  }
}

/** Some old pages write a character as %u and its number. */
const decodeLayer = (text: string): string =>
  decodeOnce(text).replace(/%u([0-9a-f]{4})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));

/** A look at each character, without making anything, lets most pieces pass. */
function isWorthALook(text: string): boolean {
  let digits = 0;
  let run = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= 48 && code <= 57) {
      digits += 1;
      run += 1;
    } else if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90)) run += 1;
    // - _ + / do not end a token: base64 has them.
    else if (code === 45 || code === 95 || code === 43 || code === 47) run += 1;
    // % @ = : may hide anything, and so may another alphabet.
    else if (code === 37 || code === 64 || code === 61 || code === 58 || code > 127) return true;
    else run = 0;
    if (digits >= 7 || run >= minTokenCharacters) return true;
  }
  return false;
}

/** Full-width letters, other scripts' digits and invisible characters do not make it another number. */
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

/** Each look is taken only where there is something to see: this runs for every page that is opened. */
function shapeOf(text: string, place: Place): MaskWord | undefined {
  if (place === 'campaign' && /^\d+$/.test(text)) return isMobile(text) ? maskWords.phone : undefined;
  if (text.includes('@') && /[^\s@/?&=#,;]\s?@\s?[\p{L}\p{N}[]/u.test(text)) return maskWords.email;
  const named = text.includes('=') || text.includes(':') ? namedWithin(text) : undefined;
  if (named) return named;
  const number = hasDigits(text, 7) ? (nationalIdIn(text, place) ?? phoneIn(text, place)) : undefined;
  return number ?? (hasToken(text, place) ? maskWords.token : undefined);
}

function hasDigits(text: string, atLeast: number): boolean {
  let digits = 0;
  for (let index = 0; index < text.length && digits < atLeast; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= 48 && code <= 57) digits += 1;
  }
  return digits >= atLeast;
}

/** An address or a record inside the piece has names of its own: `next=/cart?email=x`, `{"name":"x"}`. */
function namedWithin(text: string): MaskWord | undefined {
  let names = 0;
  for (const [, name = ''] of text.matchAll(/([\w.[\]-]{1,64})["']?\s?[=:](?=\s?["']?[^\s"'&=:])/g)) {
    names += 1;
    const word = names > maxNamesWithin ? maskWords.token : personalName(name);
    if (word) return word;
  }
  return undefined;
}

/** A Chilean RUT with the right check digit. Without its dots or hyphen, in a campaign's tag, it is an id like any other. */
function nationalIdIn(text: string, place: Place): MaskWord | undefined {
  for (const [found] of text.matchAll(/(?<!\d)\d{1,2}(?:[.\s_-]?\d{3}){2}[.\s_-]?[\dkK](?![a-zA-Z\d])/g)) {
    if (place === 'campaign' && /^\d+$/.test(found)) continue;
    if (normaliseRut(found)) return maskWords.nationalId;
  }
  return undefined;
}

// Days, not phones. Only with separators, and not within a longer number.
const days =
  /(?<![\d+][-.\s]?)(?:(?:19|20)\d\d([-._/])[01]?\d\1[0-3]?\d|[0-3]?\d([-._/])[01]?\d\2(?:19|20)\d\d)(?![-.\s]?\d)/g;

function phoneIn(text: string, place: Place): MaskWord | undefined {
  const withoutDays = text.replace(days, 'd');
  for (const [found] of withoutDays.matchAll(/\+?\d[\d\s().+_-]*\d/g)) {
    const digits = found.replace(/\D/g, '').length;
    if (digits < 8) continue;
    if (place === 'campaign' ? isPhoneInCampaign(found, digits) : isPhone(found, digits)) {
      return digits > 15 ? maskWords.token : maskWords.phone;
    }
  }
  return undefined;
}

function isPhone(text: string, digits: number): boolean {
  if (/^\d+$/.test(text)) return digits >= 9;
  // A price is no phone.
  return !/^\d{1,9}\.\d{1,2}$/.test(text);
}

/** Platforms' ids are bare digits, and so is a phone that somebody put there; all but a Chilean mobile we take for an id. */
const isMobile = (digits: string): boolean => /^569\d{8}$/.test(digits);

function isPhoneInCampaign(text: string, digits: number): boolean {
  if (/^\d+$/.test(text)) return isMobile(text);
  if (/^\+\d/.test(text)) return digits <= 15;
  return digits >= 9 && digits <= 15 && /^\(?\d{1,4}\)?(?:[ .-]{1,2}\(?\d{1,4}\)?){2,}$/.test(text);
}

const anyUuid = new RegExp(`(?<![0-9a-f])${uuidPattern}`, 'i');

/** Anything long that people would not write: keys, hashes, signatures, ids of sessions. */
function hasToken(text: string, place: Place): boolean {
  if (text.length < minTokenCharacters) return false;
  // A signed token begins with {" in base64.
  if (/eyJ[\w-]{12}/.test(text)) return true;
  if (anyUuid.test(text)) return true;
  // Base64 is broken up by + and /, paths and words are too: hence both.
  for (const [run] of text.matchAll(/[\w+/=-]{20,}/g)) {
    if (isToken(run, place)) return true;
    for (const part of run.split(/[+/=]+/))
      if (part !== run && part.length >= minTokenCharacters && isToken(part, place)) return true;
  }
  return false;
}

/**
 * Whether a run is made of words and small numbers, as titles and names of campaigns are, or of characters at random: how
 * many of them stand in pieces that no one would write. Of 200,000 random ones in base64 it misses 11 to 21 of 20 characters,
 * 1 to 3 of 22 and none of 43; of hexadecimal ones none. In campaign tags, where names must survive, it misses far more: of
 * base64 1 in 11, 1 in 16 and 1 in 340, of 20 small letters and digits 1 in 5.
 */
function isToken(run: string, place: Place): boolean {
  let odd = 0;
  for (const piece of run.split(/[^A-Za-z0-9]+/)) {
    if (place === 'campaign') {
      if (piece.length > 3 && isOddName(piece)) odd += piece.length;
    } else if (piece.length >= minTokenCharacters) return true;
    else if (!plainPiece.test(piece) || isUnspeakable(piece)) odd += piece.length;
  }
  return odd >= (place === 'campaign' ? 16 : 3);
}

/** A word, an abbreviation, a number, a model or size like `s24` and `256gb`, or words grown together like `iPhone` and `MacBook`. */
const plainPiece =
  /^(?:[a-z]*|[A-Z][a-z]*|[A-Z]*|\d{1,6}|[a-z]{0,4}\d{1,5}[a-z]{0,4}|[A-Z]{0,4}\d{1,5}[A-Z]{0,4}|[A-Z]?[a-z]+\d{1,4}|[a-z]?(?:[A-Z][a-z]{2,})+\d{0,4})$/;

const isUnspeakable = (piece: string): boolean => piece.length >= 4 && /^[^aeiouy\d]*$/i.test(piece);

/** Letters and digits, large and small, change places more often than in any name. */
function isOddName(piece: string): boolean {
  if (/^\d+$/.test(piece)) return false;
  if (piece.length >= minTokenCharacters && /^[0-9a-f]+$/i.test(piece)) return true;
  const units = piece.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g)?.length ?? 1;
  return piece.length / units < 3 || piece.length >= 40;
}
