import type { SecretPlace, Vault } from '@tributary/vault';
import type { Device, RefusedReason } from '@tributary/vocabulary';
import { type BadReason, Masking, type OpenVisit, type SecretPart, type TakenVisit, takeVisit } from './take-visit.ts';

/** What is known of a request besides its visits. The address it came from is not: country, region and city are all that is left of it. */
export interface Arrival {
  readonly profile_id: string;
  readonly client_id: string;
  readonly received_at: string;
  readonly country: string;
  /** ISO 3166-2, where it is known. */
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

/** One request, as it lies in the stream: a line of JSON, with whatever could be personal under seal. A message has one or more. */
export interface VisitMessage extends Arrival {
  readonly v: 1;
  /** The same when the request comes again. */
  readonly id: string;
  readonly visits: readonly OpenVisit[];
  /** The secret parts by visit id; absent when no visit has one. */
  readonly sealed?: string;
  /** Visits that could not be understood, each as it was sent, under seal. */
  readonly broken: readonly { readonly reason: BadReason; readonly sealed: string }[];
  /** Instead of visits: how many a collector sent away. */
  readonly refused?: Refused;
}

/** Visits of a profile that one collector sent away on a day (UTC), up to now. */
export interface Refused {
  readonly day: string;
  readonly counts: Readonly<Partial<Record<RefusedReason, number>>>;
}

/**
 * The message of a request. `vault` is the stream's own: its keys are retired with what they sealed. Of the broken visits no more than
 * `mostBroken` are carried along.
 */
export function sealMessage(
  id: string,
  arrival: Arrival,
  sent: readonly unknown[],
  ownHosts: readonly string[],
  vault: Pick<Vault, 'seal'>,
  mostBroken = sent.length,
): VisitMessage {
  const place = placeInStream(arrival);
  const receivedAt = new Date(arrival.received_at);
  const masking = new Masking();
  const visits: OpenVisit[] = [];
  const broken: { reason: BadReason; sealed: string }[] = [];
  let secrets: Record<string, SecretPart> | undefined;
  for (const one of sent) {
    const taken: TakenVisit = takeVisit(one, receivedAt, ownHosts, masking);
    if (taken.ok) {
      visits.push(taken.visit);
      if (taken.secret) {
        secrets ??= {};
        secrets[taken.visit.id] = taken.secret;
      }
    } else if (broken.length < mostBroken) {
      broken.push({ reason: taken.reason, sealed: vault.seal(JSON.stringify(one), place).toString('base64') });
    }
  }
  const sealed = secrets && vault.seal(JSON.stringify(secrets), place).toString('base64');
  return { v: 1, id, ...arrival, visits, ...(sealed && { sealed }), broken };
}

/** The message with which a collector tells what it sent away. `teller` stands for the process that counted. */
export function refusedMessage(profileId: string, teller: string, at: string, refused: Refused): VisitMessage {
  const nobody: Agent = { browser: '', os: '', device: 'unknown', is_bot: true };
  return {
    v: 1,
    id: `refused:${profileId}:${teller}:${at}`,
    profile_id: profileId,
    client_id: teller,
    received_at: at,
    country: 'ZZ',
    city: '',
    user_agent: nobody,
    visits: [],
    broken: [],
    refused,
  };
}

/** A sealed part opens only as part of a message of the same profile and browser. */
export const placeInStream = ({ profile_id, client_id }: Pick<Arrival, 'profile_id' | 'client_id'>): SecretPlace => ({
  table: 'stream',
  column: 'visits',
  row: client_id,
  profileId: profile_id,
});
