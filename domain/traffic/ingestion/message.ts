import type { SecretLocation, Vault } from '@tributary/vault';
import type { Device, RefusedReason } from '@tributary/vocabulary';
import {
  type BadReason,
  Masking,
  type OpenVisit,
  type ParsedVisit,
  type SecretPart,
  takeVisit,
} from './parse-visit.ts';

/**
 * The data of a request besides its visits. The IP address is not stored; only country, region and city are derived
 * from it.
 */
export interface Arrival {
  readonly profile_id: string;
  readonly client_id: string;
  readonly received_at: string;
  readonly country: string;
  /** ISO 3166-2, if known. */
  readonly region?: string | undefined;
  readonly city: string;
  readonly user_agent: Agent;
}

export interface Agent {
  readonly browser: string;
  readonly os: string;
  readonly device: Device;
  readonly is_bot: boolean;
}

/**
 * One request in the stream: a line of JSON, with all possibly personal data encrypted. A stream message holds one or
 * more.
 */
export interface VisitMessage extends Arrival {
  readonly v: 1;
  /** Identical for a resent request. */
  readonly id: string;
  readonly visits: readonly OpenVisit[];
  /** The encrypted parts by visit id; absent if no visit has one. */
  readonly sealed?: string;
  /** Invalid visits, each encrypted as it was sent. */
  readonly broken: readonly { readonly reason: BadReason; readonly sealed: string }[];
  /** Present instead of visits: how many visits a collector refused. */
  readonly refused?: Refused;
}

/** How many visits of a profile one collector has refused on a day (UTC) so far. */
export interface Refused {
  readonly day: string;
  readonly counts: Readonly<Partial<Record<RefusedReason, number>>>;
}

/**
 * Builds the message of a request. `vault` uses the stream's own keys, which are retired together with the data that
 * they encrypt. Carries at most `maxBroken` invalid visits.
 */
export function sealMessage(
  id: string,
  arrival: Arrival,
  sent: readonly unknown[],
  ownHosts: readonly string[],
  vault: Pick<Vault, 'seal'>,
  maxBroken = sent.length,
): VisitMessage {
  const location = streamLocation(arrival);
  const receivedAt = new Date(arrival.received_at);
  const masking = new Masking();
  const visits: OpenVisit[] = [];
  const broken: { reason: BadReason; sealed: string }[] = [];
  let secrets: Record<string, SecretPart> | undefined;
  for (const one of sent) {
    const parsed: ParsedVisit = takeVisit(one, receivedAt, ownHosts, masking);
    if (parsed.ok) {
      visits.push(parsed.visit);
      if (parsed.secret) {
        secrets ??= {};
        secrets[parsed.visit.id] = parsed.secret;
      }
    } else if (broken.length < maxBroken) {
      broken.push({ reason: parsed.reason, sealed: vault.seal(JSON.stringify(one), location).toString('base64') });
    }
  }
  const sealed = secrets && vault.seal(JSON.stringify(secrets), location).toString('base64');
  return { v: 1, id, ...arrival, visits, ...(sealed && { sealed }), broken };
}

/** Builds the message in which a collector reports refused visits. `teller` identifies the reporting process. */
export function refusedMessage(profileId: string, teller: string, at: string, refused: Refused): VisitMessage {
  const unknownAgent: Agent = { browser: '', os: '', device: 'unknown', is_bot: true };
  return {
    v: 1,
    id: `refused:${profileId}:${teller}:${at}`,
    profile_id: profileId,
    client_id: teller,
    received_at: at,
    country: 'ZZ',
    city: '',
    user_agent: unknownAgent,
    visits: [],
    broken: [],
    refused,
  };
}

/** Binds an encrypted part to the profile and browser of its message. */
export const streamLocation = ({
  profile_id,
  client_id,
}: Pick<Arrival, 'profile_id' | 'client_id'>): SecretLocation => ({
  table: 'stream',
  column: 'visits',
  row: client_id,
  profileId: profile_id,
});
