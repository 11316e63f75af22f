import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import {
  type Agent,
  sealMessage,
  type TrackingKey,
  type VisitMessage,
} from '@tributary/domain/traffic/ingestion/intake.ts';
import { Refusal } from '@tributary/operations/refusals.ts';
import type { AddressGroup } from '@tributary/redis';
import { isTooDeep, readEnvelope } from '@tributary/rules/visits';
import { PublishFailed } from '@tributary/stream';
import type { Metrics } from '@tributary/telemetry';
import type { Vault } from '@tributary/vault';
import type { RefusedReason } from '@tributary/vocabulary';
import type { DailyUse } from './daily-use.ts';
import { isAllowedOrigin } from './is-allowed-origin.ts';
import type { Location } from './locate.ts';
import { away, onlyBroken, overQuota, withoutConsent } from './refusals.ts';
import type { RefusedTally } from './refused-tally.ts';
import { KeysAway, type TrackingKeys } from './tracking-keys.ts';
import type { VisitLog } from './visit-log.ts';

export interface Intake {
  readonly keys: TrackingKeys;
  readonly use: DailyUse;
  readonly refused: RefusedTally;
  readonly log: VisitLog;
  /** Encrypts with the stream's keys. */
  readonly vault: Pick<Vault, 'seal'>;
  readonly placeOf: (address: string) => Location;
  readonly agentOf: (userAgent: string | undefined) => Agent;
  readonly metrics: Metrics;
  readonly now: () => Date;
}

export interface Sender {
  readonly address: string;
  readonly group: AddressGroup;
}

/** Processes one request from its body to the stream. Resolves when the stream has stored it on disk. */
export async function takeRequest(
  intake: Intake,
  { headers }: IncomingMessage,
  { address, group }: Sender,
  body: Buffer,
): Promise<void> {
  const { client_id, visits, consent, ...envelope } = parseEnvelope(body);
  const key = await findKey(intake.keys, envelope.key);
  const { profileId } = key;
  if (!isAllowedOrigin(headers.origin, key.allowedHosts))
    throw new Refusal('forbidden', 'Pages of this origin may not send visits for this key.', {
      fields: { reason: 'origin' },
    });
  const refuse = (reason: RefusedReason, refusal: Refusal) => {
    intake.refused.count(profileId, reason, visits.length);
    throw refusal;
  };
  if (key.isConsentRequired && !consent) refuse('consent', withoutConsent());
  const account = intake.use.open(key, group);
  const assertWithinQuota = (lacking: ReturnType<typeof account.lacks>) => {
    if (lacking) refuse(lacking, overQuota(lacking, intake.use.retryAfterSeconds));
  };
  assertWithinQuota(account.lacks('visits', 1) ?? account.lacks('bytes', body.length));
  const { country, region, city } = intake.placeOf(address);
  const message = sealMessage(
    // Derived from the body, so that a repeated request has the same id.
    hash('sha256', body, 'base64url'),
    {
      profile_id: profileId,
      client_id,
      received_at: intake.now().toISOString(),
      country,
      ...(region && { region }),
      city: key.keepsCity ? city : '',
      user_agent: intake.agentOf(headers['user-agent']),
    },
    visits,
    key.ownHosts,
    intake.vault,
    account.brokenLeft,
  );
  const accepted = { visits: message.visits.length, broken: message.broken.length, bytes: body.length };
  if (accepted.visits + accepted.broken === 0) refuse('broken_quota', onlyBroken());
  assertWithinQuota(account.lacks('visits', accepted.visits));
  account.add(accepted);
  try {
    await publish(intake.log, message);
  } catch (error) {
    account.add({ visits: -accepted.visits, broken: -accepted.broken, bytes: -accepted.bytes });
    throw error;
  }
  intake.metrics.countVisits(accepted.visits, accepted.broken);
  const dropped = visits.length - accepted.visits - accepted.broken;
  if (dropped > 0) intake.refused.count(profileId, 'broken_quota', dropped);
}

function parseEnvelope(bytes: Buffer) {
  if (isTooDeep(bytes)) throw new Refusal('invalid_request', 'The body is nested deeper than anybody means.');
  let parsed: unknown;
  try {
    parsed = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new Refusal('invalid_request', 'The body is not JSON.');
  }
  const read = readEnvelope(parsed);
  if (read.ok) return read.envelope;
  if (read.reason === 'bad_key') throw new Refusal('unauthorized', unknownKey);
  throw new Refusal('invalid_request', 'The body is not {key, client_id, visits} with 1 to 50 visits.', {
    fields: { reason: read.reason },
  });
}

const unknownKey = 'This tracking key is not known, or no longer.';

async function findKey(keys: TrackingKeys, text: string): Promise<TrackingKey> {
  try {
    const found = keys.find(text);
    const key = found instanceof Promise ? await found : found;
    if (key) return key;
  } catch (error) {
    if (error instanceof KeysAway) throw away(String(error.cause));
    throw error;
  }
  throw new Refusal('unauthorized', unknownKey);
}

async function publish(log: VisitLog, message: VisitMessage): Promise<void> {
  try {
    await log.publish(
      message.profile_id,
      message.id,
      `${message.profile_id}:${message.client_id}`,
      JSON.stringify(message),
    );
  } catch (error) {
    if (error instanceof PublishFailed) throw away(error.message);
    throw error;
  }
}
