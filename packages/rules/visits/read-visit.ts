import { dayMs, limits, minuteMs, type VisitTrait, type VisitType, visitTraits } from '@tributary/vocabulary';

/**
 * Parses visits of browsers. Hand-written, because it runs for every visit on the way in, and a schema library takes
 * ten times as long. Names are those of the wire format, because a visit passes through the stream as parsed. Unknown
 * fields are dropped.
 */

export type Traits = Readonly<Partial<Record<VisitTrait, string>>>;
export type Scalar = string | number | boolean | null;

export interface Visit {
  readonly id: string;
  /** In the format of toISOString. The browser's clock, uncorrected: a retry must give the same row. */
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
  /** Signature of the traits by the shop's server. */
  readonly signature?: string;
}

/** Why a visit is stored as a bad row. A closed list, used as a metric. */
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

export function readVisit(input: unknown): ReadVisit {
  if (!isRecord(input)) return refusals.not_an_object;
  const id = readUuid7(input.id);
  if (id === undefined) return refusals.bad_id;
  const { at, type, url } = input;
  if (typeof at !== 'string' || !isTime(at)) return refusals.bad_time;
  if (type !== 'page_view' && type !== 'track' && type !== 'identify') return refusals.bad_type;
  const session_id = readUuid7(input.session_id);
  const { is_session_start = false } = input;
  if (session_id === undefined || typeof is_session_start !== 'boolean') return refusals.bad_session;
  if (typeof url !== 'string' || !isText(url)) return refusals.bad_url;
  if (url.length > visitLimits.urlCharacters) return refusals.too_large;
  if (!isOrdinaryPage(url) && !(/^https?:\/\//i.test(url) && URL.canParse(url))) return refusals.bad_url;
  const visit: Writable<Visit> = { id, at, type, session_id, is_session_start, url };
  const reason =
    readReferrer(input.referrer, visit) ??
    readName(input.name, visit) ??
    readProperties(input.properties, visit) ??
    readTraits(input.traits, visit) ??
    readWord(input, 'link_token', visitLimits.linkTokenCharacters, visit) ??
    readWord(input, 'verification', visitLimits.verificationCharacters, visit) ??
    readWord(input, 'signature', visitLimits.signatureCharacters, visit);
  return reason === undefined ? { ok: true, visit } : refusals[reason];
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

// Allocated once: rejecting must not cost more than parsing, or invalid visits could be used for an attack.
const refusals = Object.fromEntries(visitRefusals.map((reason) => [reason, { ok: false, reason }])) as {
  readonly [Reason in VisitRefusal]: { readonly ok: false; readonly reason: Reason };
};

const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** PostgreSQL cannot store NUL, and half a surrogate pair is not text. */
const isText = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/**
 * Recognises URLs that any parser accepts without parsing them: a host of plain labels whose last label is not a
 * number.
 */
function isOrdinaryPage(url: string): boolean {
  return /^https?:\/\/(?:[a-z0-9-]{1,63}\.)+[a-z]{2,63}(?=[/?#]|$)/i.test(url) && !/xn--/i.test(url);
}

const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

function readUuid7(value: unknown): string | undefined {
  return typeof value === 'string' && uuid7.test(value) ? value.toLowerCase() : undefined;
}

const time = /^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z$/;

/** Date reads a nonexistent day as a day of the next month; then its output differs from its input. */
function isTime(text: string): boolean {
  if (text.length !== 24 || !time.test(text)) return false;
  return text.charCodeAt(8) < 50 || text.slice(8, 10) <= '28' || new Date(text).toISOString() === text;
}

function readReferrer(value: unknown, visit: Writable<Visit>): VisitRefusal | undefined {
  // document.referrer is empty if there is none.
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
  // Not assigned one by one: a property called __proto__ must stay a property.
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
  // Without any trait the event is useless.
  if (Object.keys(traits).length === 0) return 'bad_traits';
  visit.traits = traits;
  return undefined;
}

function readWord(
  input: Readonly<Record<string, unknown>>,
  name: 'link_token' | 'verification' | 'signature',
  maxCharacters: number,
  visit: Writable<Visit>,
): VisitRefusal | undefined {
  const value = input[name];
  if (isAbsent(value)) return undefined;
  if (typeof value !== 'string' || value.length > maxCharacters || !/^[\w.~-]+$/.test(value)) return `bad_${name}`;
  visit[name] = value;
  return undefined;
}

// ── The request around them ─────────────────────────────────────────────────────────────────────────────────────────────────────

export interface Envelope {
  readonly key: string;
  readonly client_id: string;
  /** Whether the visitor agreed to tracking. */
  readonly consent: boolean;
  /** Not parsed yet: each visit is accepted or rejected on its own. */
  readonly visits: readonly unknown[];
}

export type EnvelopeRefusal = 'not_an_object' | 'bad_key' | 'bad_client_id' | 'bad_visits' | 'too_many_visits';
export type ReadEnvelope =
  | { readonly ok: true; readonly envelope: Envelope }
  | { readonly ok: false; readonly reason: EnvelopeRefusal };

export function readEnvelope(input: unknown): ReadEnvelope {
  if (!isRecord(input)) return { ok: false, reason: 'not_an_object' };
  const { key, visits } = input;
  if (typeof key !== 'string' || !/^trk_[0-9A-Za-z]{22}$/.test(key)) return { ok: false, reason: 'bad_key' };
  const client_id = readUuid7(input.client_id);
  if (client_id === undefined) return { ok: false, reason: 'bad_client_id' };
  if (!Array.isArray(visits) || visits.length === 0) return { ok: false, reason: 'bad_visits' };
  if (visits.length > visitRequest.visits) return { ok: false, reason: 'too_many_visits' };
  return { ok: true, envelope: { key, client_id, consent: input.consent === true, visits } };
}

// ── The browser's clock ─────────────────────────────────────────────────────────────────────────────────────────────────────────

export type ClockRefusal = 'clock_ahead' | 'too_old';

const maxAheadMs = visitLimits.maxAheadMinutes * minuteMs;
const maxAgeMs = visitLimits.maxAgeDays * dayMs;

/** Whether a visit's time is plausible at its arrival. Both limits are inclusive. */
export function checkClock(at: string, receivedAt: string | Date): ClockRefusal | undefined {
  const aheadMs = Date.parse(at) - new Date(receivedAt).getTime();
  if (aheadMs > maxAheadMs) return 'clock_ahead';
  return aheadMs < -maxAgeMs ? 'too_old' : undefined;
}
