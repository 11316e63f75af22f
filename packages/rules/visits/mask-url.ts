import {
  type ClickIdKind,
  clickIdKindNames,
  limits,
  linkTokenParameter,
  verificationParameter,
} from '@tributary/vocabulary';
import { clickIds, furtherCampaignParameters, idParameters, utmParameters } from './campaign-tags.ts';
import { isOwnHost } from './channels.ts';
import { decodeOnce } from './decode.ts';
import { plainHost, siteOfHost } from './hosts.ts';
import { readValue } from './parameters.ts';
import { maskWords, personalName } from './personal-names.ts';
import { Effort, isMaskWord, personalShape, type TextContext } from './personal-shapes.ts';

/**
 * Removes personal data from URLs before anything is stored: the stores keep URLs for good and do not log who reads
 * them. Campaign tags are kept, because reports need them.
 */

export interface MaskedUrl {
  readonly url: string;
  /** Removed click ids, which may be reported back to their platform; stored encrypted. */
  readonly clickIds: Readonly<Partial<Record<ClickIdKind, string>>>;
}

type ClickIds = Partial<Record<ClickIdKind, string>>;

const maxUrlCharacters = limits.visit.urlCharacters;
/** Percent-encoding turns a non-Latin letter into six to nine characters. */
const maxEscapedCharacters = 2 * maxUrlCharacters;
const maxNameCharacters = 256;
const maxClickIdCharacters = 512;
/**
 * The maximum number of path segments or parameters. Further ones would take time to check and are replaced by one
 * mask word.
 */
const maxPieces = 100;

/** The link token and the verification nonce, which only the collector may see. */
const reservedParameters = new Set<string>([linkTokenParameter, verificationParameter]);
const campaignParameters = new Set([
  ...utmParameters,
  ...idParameters.map(({ parameter }) => parameter),
  ...furtherCampaignParameters,
]);
const clickIdParameters = new Set(clickIds.map(({ parameter }) => parameter));
const kinds = new Map<string, ClickIdKind>(clickIdKindNames.map((kind) => [kind, kind]));

/**
 * Empty if the text is not the URL of a page. A user and password before the host are dropped. All URLs of one
 * request share its effort.
 */
export function maskUrl(text: string, effort = new Effort()): MaskedUrl {
  const url = readPage(text);
  if (!url) return { url: '', clickIds: {} };
  const origin = `${url.protocol}//${url.host}`;
  if (text.length > maxUrlCharacters || url.href.length > maxEscapedCharacters)
    return { url: `${origin}/`, clickIds: {} };
  const found: ClickIds = {};
  const query = url.search === '' ? '' : maskParameters(url.search.slice(1), found, effort);
  const hash = url.hash === '' ? '' : maskHash(url.hash.slice(1), found, effort);
  const masked = `${origin}${maskPath(url.pathname, effort)}${query && `?${query}`}${hash && `#${hash}`}`;
  return { url: masked, clickIds: found };
}

/**
 * For another site only the location of the link is kept: no query, no hash, and for a search engine the host alone.
 * A referrer on the own site is masked like a page.
 */
export function maskReferrer(
  referrer: string,
  pageUrl: string,
  ownHosts: readonly string[],
  effort = new Effort(),
): string {
  const url = readPage(referrer);
  if (!url) return '';
  const host = plainHost(url.hostname);
  if (isOwnHost(host, plainHost(URL.parse(pageUrl)?.hostname ?? ''), ownHosts)) return maskUrl(referrer, effort).url;
  const isSearch = siteOfHost(host)?.kind === 'search';
  const isTooLong = referrer.length > maxUrlCharacters || url.href.length > maxEscapedCharacters;
  const path = isSearch || isTooLong ? '/' : maskPath(url.pathname, effort);
  return `${url.protocol}//${url.host}${path}`;
}

const pageProtocols = new Set(['https:', 'http:', 'android-app:', 'ios-app:']);

function readPage(text: string): URL | undefined {
  const url = URL.parse(text);
  return url && pageProtocols.has(url.protocol) && url.hostname !== '' ? url : undefined;
}

function maskPath(path: string, effort: Effort): string {
  if (path.length <= 1) return path;
  return eachPiece(path, '/', (segment) => personalShape(segment, 'elsewhere', effort) ?? segment);
}

/** A hash is an anchor, a route of an application, parameters, or a route with parameters. */
function maskHash(hash: string, found: ClickIds, effort: Effort): string {
  const question = hash.indexOf('?');
  const front = question < 0 ? hash : hash.slice(0, question);
  const masked = /[=&]/.test(front) ? maskParameters(front, found, effort) : maskPath(front, effort);
  const parameters = question < 0 ? '' : maskParameters(hash.slice(question + 1), found, effort);
  return parameters === '' ? masked : `${masked}?${parameters}`;
}

const maskParameters = (query: string, found: ClickIds, effort: Effort): string =>
  eachPiece(query, '&', (part) => maskParameter(part, found, effort));

/** The callback returns undefined to remove a piece. */
function eachPiece(text: string, separator: string, mask: (piece: string) => string | undefined): string {
  const pieces = text.split(separator, maxPieces + 1);
  const maskedPieces: string[] = [];
  for (const piece of pieces.slice(0, maxPieces)) {
    const masked = mask(piece);
    if (masked !== undefined) maskedPieces.push(masked);
  }
  if (pieces.length > maxPieces) maskedPieces.push(maskWords.token);
  return maskedPieces.join(separator);
}

/** Returns undefined to remove the parameter. */
function maskParameter(part: string, found: ClickIds, effort: Effort): string | undefined {
  const equals = part.indexOf('=');
  const rawName = equals < 0 ? part : part.slice(0, equals);
  if (equals >= 0 && rawName.length > maxNameCharacters) return maskWords.token;
  const writtenName = decodeFully(rawName).trim();
  const name = writtenName.toLowerCase();
  if (reservedParameters.has(name)) return undefined;
  const value = equals < 0 ? '' : part.slice(equals + 1);
  if (value === '' || isMaskWord(value)) return personalShape(rawName, 'elsewhere', effort) ?? part;
  if (clickIdParameters.has(name)) {
    // An empty value or an unfilled macro is not masked as a click id, because it would count as a click.
    if (readValue(value) === undefined) return `${rawName}=`;
    keepClickId(found, kinds.get(name), value);
    return `${rawName}=${maskWords.click}`;
  }
  const context: TextContext = campaignParameters.has(name) ? 'campaign' : 'elsewhere';
  const word =
    (context === 'elsewhere' ? personalName(writtenName) : undefined) ?? personalShape(value, context, effort);
  const nameWord = context === 'elsewhere' ? personalShape(rawName, context, effort) : undefined;
  // A personal name is masked together with its value.
  return nameWord ?? (word ? `${rawName}=${word}` : part);
}

/** Decoded repeatedly: an encoded name is still that name. */
function decodeFully(raw: string): string {
  let name = raw;
  for (let layer = 0; layer < 6 && name.includes('%'); layer += 1) {
    const decoded = decodeOnce(name);
    if (decoded === name) break;
    name = decoded;
  }
  return name;
}

function keepClickId(found: ClickIds, kind: ClickIdKind | undefined, raw: string): void {
  if (kind === undefined || found[kind] !== undefined) return;
  const value = decodeOnce(raw);
  // A value that no platform would generate is not stored.
  if (value.length <= maxClickIdCharacters && /^[\w.~+/=-]+$/.test(value)) found[kind] = value;
}
