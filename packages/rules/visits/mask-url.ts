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
import { Effort, isMaskWord, type Place, personalShape } from './personal-shapes.ts';

/**
 * Addresses without what is personal in them. They go to stores that never forget and never ask who reads, so this happens
 * before anything is written. Campaign tags survive, because reports are made of them.
 */

export interface MaskedUrl {
  readonly url: string;
  /** What was taken out and may be reported back to the platform it came from, under seal. */
  readonly clickIds: Readonly<Partial<Record<ClickIdKind, string>>>;
}

type ClickIds = Partial<Record<ClickIdKind, string>>;

const maxUrlCharacters = limits.visit.urlCharacters;
/** A letter of another alphabet becomes six to nine characters. */
const maxEscapedCharacters = 2 * maxUrlCharacters;
const maxNameCharacters = 256;
const maxClickIdCharacters = 512;
/** Of a path or a query. Nobody writes more of them, and looking at thousands would take time: what is behind becomes one word. */
const maxPieces = 100;

/** The link token and the verification nonce: for the collector only. */
const reservedParameters = new Set<string>([linkTokenParameter, verificationParameter]);
const campaignParameters = new Set([
  ...utmParameters,
  ...idParameters.map(({ parameter }) => parameter),
  ...furtherCampaignParameters,
]);
const clickIdParameters = new Set(clickIds.map(({ parameter }) => parameter));
const kinds = new Map<string, ClickIdKind>(clickIdKindNames.map((kind) => [kind, kind]));

/**
 * Empty for what is no address of a page. A user and password before the host are dropped; nobody should see them. The addresses of
 * one request share its effort.
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
 * Of another site only what tells where the link stood: no query, no hash, and of a search engine the host alone. Of the own
 * site it is a page like any other.
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

/** A hash is a place in the page, a path of an application, parameters, or a path with parameters. */
function maskHash(hash: string, found: ClickIds, effort: Effort): string {
  const question = hash.indexOf('?');
  const front = question < 0 ? hash : hash.slice(0, question);
  const masked = /[=&]/.test(front) ? maskParameters(front, found, effort) : maskPath(front, effort);
  const parameters = question < 0 ? '' : maskParameters(hash.slice(question + 1), found, effort);
  return parameters === '' ? masked : `${masked}?${parameters}`;
}

const maskParameters = (query: string, found: ClickIds, effort: Effort): string =>
  eachPiece(query, '&', (part) => maskParameter(part, found, effort));

/** Undefined: the piece goes without a trace. */
function eachPiece(text: string, separator: string, mask: (piece: string) => string | undefined): string {
  const pieces = text.split(separator, maxPieces + 1);
  const kept: string[] = [];
  for (const piece of pieces.slice(0, maxPieces)) {
    const masked = mask(piece);
    if (masked !== undefined) kept.push(masked);
  }
  if (pieces.length > maxPieces) kept.push(maskWords.token);
  return kept.join(separator);
}

/** Undefined: it goes without a trace. */
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
    // Masked as a click id, a blank or an unfilled macro would become a click that nobody made.
    if (readValue(value) === undefined) return `${rawName}=`;
    keepClickId(found, kinds.get(name), value);
    return `${rawName}=${maskWords.click}`;
  }
  const place: Place = campaignParameters.has(name) ? 'campaign' : 'elsewhere';
  const word = (place === 'elsewhere' ? personalName(writtenName) : undefined) ?? personalShape(value, place, effort);
  const nameWord = place === 'elsewhere' ? personalShape(rawName, place, effort) : undefined;
  // A name that is personal itself takes its value along.
  return nameWord ?? (word ? `${rawName}=${word}` : part);
}

/** Decoded as often as it takes: an encoded name is still that name. */
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
  // What no platform would have made is not worth keeping.
  if (value.length <= maxClickIdCharacters && /^[\w.~+/=-]+$/.test(value)) found[kind] = value;
}
