import { hash } from 'node:crypto';
import { checkClock } from '@tributary/rules/visits';
import type { Ingestion } from './context.ts';
import { memoize } from './memoize.ts';
import type { Agent } from './message.ts';
import type { OpenedRequest } from './open-messages.ts';
import { type BadReason, CachedMasking, type ParsedVisit, takeVisit } from './parse-visit.ts';
import { ingest } from './pipeline.ts';
import { findProfiles } from './store.ts';

/** The columns of a file of visits. */
export const visitColumns = [
  'client_id',
  'occurred_at',
  'url',
  'type',
  'name',
  'referrer',
  'visit_id',
  'session_id',
  'is_session_start',
  'country',
  'region',
  'city',
  'user_agent',
  'external_id',
  'email',
  'phone',
  'consent',
] as const;

type Cells = Readonly<Partial<Record<(typeof visitColumns)[number], string>>>;

export interface VisitCells {
  readonly line: number;
  readonly cells: Readonly<Record<string, string>>;
}

interface RejectedRow {
  readonly line: number;
  readonly field: string;
  readonly message: string;
}

export interface ImportedVisits {
  readonly imported: number;
  readonly rejected: readonly RejectedRow[];
}

/** Imports rows with the rules of the collector and the pipeline. Importing a row again produces the same visit. */
export interface VisitImporter {
  /** Validates the rows without storing anything; the returned function stores them. */
  read(rows: readonly VisitCells[]): () => Promise<ImportedVisits>;
  /** Validates the rows and stores nothing. */
  check(rows: readonly VisitCells[]): ImportedVisits;
}

/** The profile's settings for visits, and the user-agent parser. */
export interface VisitIntake {
  readonly isConsentRequired: boolean;
  readonly keepsCity: boolean;
  readonly agentOf: (userAgent: string | undefined) => Agent;
}

/** Undefined if there is no such profile. */
export async function openVisitImporter(
  ingestion: Ingestion,
  profileId: string,
  intake: VisitIntake,
): Promise<VisitImporter | undefined> {
  const profile = (await findProfiles(ingestion.postgres, [profileId])).get(profileId);
  if (!profile) return undefined;
  const read = (rows: readonly VisitCells[]) => {
    const take = rowReader(profileId, profile.ownHosts, intake, ingestion.now());
    const requests: OpenedRequest[] = [];
    const rejected: RejectedRow[] = [];
    for (const { line, cells } of rows) {
      const one = take(cells);
      if ('field' in one) rejected.push({ line, ...one });
      else requests.push(one);
    }
    return { requests, rejected };
  };
  return {
    check(rows) {
      const { requests, rejected } = read(rows);
      return { imported: requests.length, rejected };
    },
    read(rows) {
      const { requests, rejected } = read(rows);
      return async () => {
        await ingest(ingestion, requests);
        return { imported: requests.length, rejected };
      };
    },
  };
}

type CellError = Omit<RejectedRow, 'line'>;

/** Returns a row reader that caches ids and addresses, which repeat within a batch. */
function rowReader(profileId: string, ownHosts: readonly string[], intake: VisitIntake, now: Date) {
  const ids: Ids = {
    profileId,
    browser: memoize((word) => toUuid('browser', profileId, word)),
    session: memoize((word) => toUuid('session', profileId, word)),
  };
  const masking = new CachedMasking();
  const take = (visit: unknown, at: Date) => takeVisit(visit, at, ownHosts, masking);
  return (cells: Cells) => readRow(ids, intake, take, cells, now);
}

interface Ids {
  readonly profileId: string;
  readonly browser: (word: string) => string;
  readonly session: (word: string) => string;
}

/**
 * Reads a row as the request that the collector would have sent at the time of the visit. The arrival time equals the
 * visit time, so nothing depends on when the file is imported.
 */
function readRow(
  ids: Ids,
  { isConsentRequired, keepsCity, agentOf }: VisitIntake,
  take: (visit: unknown, at: Date) => ParsedVisit,
  cells: Cells,
  now: Date,
): OpenedRequest | CellError {
  const { client_id = '', country = '', region = '' } = cells;
  if (client_id.trim() === '') return { field: 'client_id', message: 'is missing, or the row has lost its columns' };
  const at = toIsoTime(cells.occurred_at ?? '');
  if (!at) return cellErrors.bad_time;
  if (checkClock(at, now) === 'clock_ahead') return { field: 'occurred_at', message: 'lies in the future' };
  if (isConsentRequired && !isYes(cells.consent))
    return { field: 'consent', message: 'must be true: this profile asks its visitors first' };
  if (country !== '' && !/^[A-Z]{2}$/.test(country))
    return { field: 'country', message: 'must be two capital letters, like CL' };
  if (region !== '' && !/^[A-Z]{2}-[A-Z0-9]{1,3}$/.test(region))
    return { field: 'region', message: 'must be of ISO 3166-2, like CL-RM' };
  const parsed = take(toBrowserVisit(ids, cells, at), new Date(at));
  if (!parsed.ok) return cellErrors[parsed.reason] ?? { field: 'url', message: 'cannot be read' };
  const { visit, secret = {} } = parsed;
  return {
    id: `import:${visit.id}`,
    arrival: {
      profile_id: ids.profileId,
      client_id: ids.browser(client_id),
      received_at: at,
      country: country || 'ZZ',
      ...(region && { region }),
      city: keepsCity ? (cells.city ?? '').trim().slice(0, 100) : '',
      user_agent: agentOf(cells.user_agent),
    },
    visits: [{ visit, secret }],
    broken: [],
  };
}

/** Builds the visit that a browser would have sent. */
function toBrowserVisit({ profileId, session }: Ids, cells: Cells, at: string) {
  const { client_id = '', url = '', referrer = '', name = '', visit_id = '', session_id = '' } = cells;
  const type = cells.type || 'page_view';
  const traitCells = Object.entries({ external_id: cells.external_id, email: cells.email, phone: cells.phone });
  const traits = traitCells.filter(([, value]) => value);
  return {
    // Without an id, the visit's id is derived from its content, so that the same row is the same visit.
    id: toUuid('visit', profileId, visit_id || [client_id, at, type, name, url, referrer].join('\n')),
    at,
    type,
    session_id: session(session_id || `${client_id}\n${at.slice(0, 10)}`),
    is_session_start: cells.is_session_start ? isYes(cells.is_session_start) : isFromOutside(url, referrer),
    url,
    ...(referrer && { referrer }),
    ...(name && { name }),
    ...((traits.length > 0 || type === 'identify') && { traits: Object.fromEntries(traits) }),
  };
}

const isYes = (cell = ''): boolean => /^(true|yes|1)$/i.test(cell);

/** A visit starts a session if it was not opened from the site itself; used when the file has no session start. */
const isFromOutside = (url: string, referrer: string): boolean => getHost(url) !== getHost(referrer);
const getHost = (address: string): string => /^https?:\/\/([^/?#]*)/i.exec(address)?.[1]?.toLowerCase() ?? '';

const timePattern = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/i;

/**
 * Normalises a time to the format of toISOString. A time without a zone is refused, because it could be any of 26
 * hours.
 */
function toIsoTime(cell: string): string | undefined {
  if (cell.length === 24 && cell.endsWith('Z')) return cell;
  const [, year, month, day] = timePattern.exec(cell) ?? [];
  const days = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  const read = new Date(cell.replace(' ', 'T'));
  return Number(day) <= days && !Number.isNaN(read.getTime()) ? read.toISOString() : undefined;
}

const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** Keeps an id created by the tracker, so that the browser stays the same. Any other word is hashed to a stable id. */
function toUuid(kind: string, profileId: string, word: string): string {
  if (uuid7.test(word)) return word.toLowerCase();
  const hex = hash('sha256', `${kind}\n${profileId}\n${word}`, 'hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The error of each reason for which the collector would refuse the visit. */
const cellErrors: Readonly<Partial<Record<BadReason, CellError>>> & { readonly bad_time: CellError } = {
  bad_time: { field: 'occurred_at', message: 'must be a moment with its zone, like 2026-05-01T12:00:00Z' },
  bad_type: { field: 'type', message: 'must be page_view, track or identify' },
  bad_name: { field: 'name', message: 'is for rows of type track, and those need it' },
  bad_url: { field: 'url', message: 'must be an address that begins with http:// or https://' },
  bad_referrer: { field: 'referrer', message: 'must be an address, or empty' },
  bad_traits: { field: 'external_id', message: 'email and phone are for rows of type identify, and those need one' },
  too_large: { field: 'url', message: 'or the referrer is too long' },
};
