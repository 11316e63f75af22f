import { dayMs, limits, minuteMs, type VisitTrait, type VisitType, visitTraits } from '@tributary/vocabulary';

/**
 * What a browser sends, read by hand: this runs for every visit on the way in, and a schema library costs ten times as much.
 * Names are as on the wire, because a visit travels on through the stream as it was read. What is not named here is left out.
 */

export type Traits = Readonly<Partial<Record<VisitTrait, string>>>;
export type Scalar = string | number | boolean | null;

export interface Visit {
  readonly id: string;
  /** As toISOString writes it. The browser's clock, as it is: a retry must give the same row. */
  readonly at: string;
  readonly type: VisitType;
  readonly name?: string;
  readonly session_id: string;
  readonly is_session_start: boolean;
  readonly url: string;
  readonly referrer?: string;
  readonly properties?: Readonly<Record<string, Scalar>>;
  readonly traits?: Traits;
  readonly link_token?: string;
  readonly verification?: string;
  /** Of the traits, by the shop's server. */
  readonly signature?: string;
}

/** Why a visit is kept as a bad row. Closed, and counted by. */
export const visitRefusals = [
  'not_an_object',
  'bad_id',
  'bad_time',
  'bad_type',
  'bad_name',
  'bad_session',
  'bad_url',
  'bad_referrer',
  'bad_properties',
  'bad_traits',
  'bad_link_token',
  'bad_verification',
  'bad_signature',
  'too_large',
] as const;
export type VisitRefusal = (typeof visitRefusals)[number];
export type ReadVisit =
  | { readonly ok: true; readonly visit: Visit }
  | { readonly ok: false; readonly reason: VisitRefusal };

const { visit: visitLimits, visitRequest } = limits;

export function readVisit(said: unknown): ReadVisit {
  if (!isRecord(said)) return refused.not_an_object;
  const id = readUuid7(said.id);
  if (id === undefined) return refused.bad_id;
  const { at, type, url } = said;
  if (typeof at !== 'string' || !isTime(at)) return refused.bad_time;
  if (type !== 'page_view' && type !== 'track' && type !== 'identify') return refused.bad_type;
  const session_id = readUuid7(said.session_id);
  const { is_session_start = false } = said;
  if (session_id === undefined || typeof is_session_start !== 'boolean') return refused.bad_session;
  if (typeof url !== 'string' || !isText(url)) return refused.bad_url;
  if (url.length > visitLimits.urlCharacters) return refused.too_large;
  if (!isOrdinaryPage(url) && !(/^https?:\/\//i.test(url) && URL.canParse(url))) return refused.bad_url;
  const visit: Writable<Visit> = { id, at, type, session_id, is_session_start, url };
  const reason =
    readReferrer(said.referrer, visit) ??
    readName(said.name, visit) ??
    readProperties(said.properties, visit) ??
    readTraits(said.traits, visit) ??
    readWord(said, 'link_token', visitLimits.linkTokenCharacters, visit) ??
    readWord(said, 'verification', visitLimits.verificationCharacters, visit) ??
    readWord(said, 'signature', visitLimits.signatureCharacters, visit);
  return reason === undefined ? { ok: true, visit } : refused[reason];
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

// Made once: refusing must not cost more than reading, or broken visits are an attack.
const refused = Object.fromEntries(visitRefusals.map((reason) => [reason, { ok: false, reason }])) as {
  readonly [Reason in VisitRefusal]: { readonly ok: false; readonly reason: Reason };
};

const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** PostgreSQL keeps no NUL, and half a surrogate pair is no text. */
const isText = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/** An address that any parser takes, told without one: a host of plain labels whose last is no number. */
function isOrdinaryPage(url: string): boolean {
  return /^https?:\/\/(?:[a-z0-9-]{1,63}\.)+[a-z]{2,63}(?=[/?#]|$)/i.test(url) && !/xn--/i.test(url);
}

const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

function readUuid7(value: unknown): string | undefined {
  return typeof value === 'string' && uuid7.test(value) ? value.toLowerCase() : undefined;
}

const time = /^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z$/;

/** Days that do not exist are read by Date as the next month's; then it writes another day than it was given. */
function isTime(text: string): boolean {
  if (text.length !== 24 || !time.test(text)) return false;
  return text.charCodeAt(8) < 50 || text.slice(8, 10) <= '28' || new Date(text).toISOString() === text;
}

function readReferrer(value: unknown, visit: Writable<Visit>): VisitRefusal | undefined {
  // document.referrer is the empty text where there is none.
  if (isAbsent(value) || value === '') return undefined;
  if (typeof value !== 'string' || !isText(value)) return 'bad_referrer';
  if (value.length > visitLimits.urlCharacters) return 'too_large';
  if (!isOrdinaryPage(value) && !URL.canParse(value)) return 'bad_referrer';
  visit.referrer = value;
  return undefined;
}

function readName(value: unknown, visit: Writable<Visit>): VisitRefusal | undefined {
  if (visit.type !== 'track') return isAbsent(value) ? undefined : 'bad_name';
  if (typeof value !== 'string' || !isText(value)) return 'bad_name';
  const name = value.trim();
  if (name === '' || name.length > visitLimits.nameCharacters) return 'bad_name';
  visit.name = name;
  return undefined;
}

function readProperties(value: unknown, visit: Writable<Visit>): VisitRefusal | undefined {
  if (isAbsent(value)) return undefined;
  if (visit.type !== 'track' || !isRecord(value)) return 'bad_properties';
  const entries = Object.entries(value);
  if (entries.length > visitLimits.properties) return 'bad_properties';
  for (const [name, property] of entries) {
    if (name === '' || name.length > visitLimits.propertyNameCharacters || !isText(name)) return 'bad_properties';
    if (!isScalar(property)) return 'bad_properties';
  }
  // Never assigned one by one: a property called __proto__ must stay a property.
  if (entries.length > 0) visit.properties = Object.fromEntries(entries) as Record<string, Scalar>;
  return undefined;
}

function isScalar(value: unknown): value is Scalar {
  if (typeof value === 'string') return value.length <= visitLimits.propertyCharacters && isText(value);
  return value === null || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));
}

function readTraits(value: unknown, visit: Writable<Visit>): VisitRefusal | undefined {
  if (visit.type !== 'identify') return isAbsent(value) ? undefined : 'bad_traits';
  if (!isRecord(value)) return 'bad_traits';
  const traits: Writable<Traits> = {};
  for (const name of visitTraits) {
    const trait = value[name];
    if (isAbsent(trait)) continue;
    if (typeof trait !== 'string' || trait.length > visitLimits.traitCharacters || !isText(trait)) return 'bad_traits';
    const text = trait.trim();
    if (text !== '') traits[name] = text;
  }
  // Says nothing of anybody.
  if (Object.keys(traits).length === 0) return 'bad_traits';
  visit.traits = traits;
  return undefined;
}

function readWord(
  said: Readonly<Record<string, unknown>>,
  name: 'link_token' | 'verification' | 'signature',
  maxCharacters: number,
  visit: Writable<Visit>,
): VisitRefusal | undefined {
  const value = said[name];
  if (isAbsent(value)) return undefined;
  if (typeof value !== 'string' || value.length > maxCharacters || !/^[\w.~-]+$/.test(value)) return `bad_${name}`;
  visit[name] = value;
  return undefined;
}

// ── The request around them ─────────────────────────────────────────────────────────────────────────────────────────────────────

export interface Envelope {
  readonly key: string;
  readonly client_id: string;
  /** Whether the person said yes to being tracked. */
  readonly consent: boolean;
  /** Not yet read: each is taken or refused on its own. */
  readonly visits: readonly unknown[];
}

export type EnvelopeRefusal = 'not_an_object' | 'bad_key' | 'bad_client_id' | 'bad_visits' | 'too_many_visits';
export type ReadEnvelope =
  | { readonly ok: true; readonly envelope: Envelope }
  | { readonly ok: false; readonly reason: EnvelopeRefusal };

export function readEnvelope(said: unknown): ReadEnvelope {
  if (!isRecord(said)) return { ok: false, reason: 'not_an_object' };
  const { key, visits } = said;
  if (typeof key !== 'string' || !/^trk_[0-9A-Za-z]{22}$/.test(key)) return { ok: false, reason: 'bad_key' };
  const client_id = readUuid7(said.client_id);
  if (client_id === undefined) return { ok: false, reason: 'bad_client_id' };
  if (!Array.isArray(visits) || visits.length === 0) return { ok: false, reason: 'bad_visits' };
  if (visits.length > visitRequest.visits) return { ok: false, reason: 'too_many_visits' };
  return { ok: true, envelope: { key, client_id, consent: said.consent === true, visits } };
}

// ── The browser's clock ─────────────────────────────────────────────────────────────────────────────────────────────────────────

export type ClockRefusal = 'clock_ahead' | 'too_old';

const maxAheadMs = visitLimits.maxAheadMinutes * minuteMs;
const maxAgeMs = visitLimits.maxAgeDays * dayMs;

/** Whether a visit's time can be believed, measured by its arrival. Both bounds still belong to it. */
export function checkClock(at: string, receivedAt: string | Date): ClockRefusal | undefined {
  const aheadMs = Date.parse(at) - new Date(receivedAt).getTime();
  if (aheadMs > maxAheadMs) return 'clock_ahead';
  return aheadMs < -maxAgeMs ? 'too_old' : undefined;
}
