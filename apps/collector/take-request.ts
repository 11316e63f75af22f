import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Agent, sealMessage, type TrackingKey, type VisitMessage } from '@tributary/domain/ingestion/room.ts';
import { hidden, Refusal, tooMany } from '@tributary/operations';
import type { RateLimiter, Verdict } from '@tributary/redis';
import { readEnvelope, visitsPerDay } from '@tributary/rules';
import { PublishFailed } from '@tributary/stream';
import type { Metrics } from '@tributary/telemetry';
import type { Vault } from '@tributary/vault';
import type { DailyQuota } from './daily-quota.ts';
import { isAllowedOrigin } from './is-allowed-origin.ts';
import type { Place } from './place-of.ts';
import { KeysAway, type TrackingKeys } from './tracking-keys.ts';
import type { VisitLog } from './visit-log.ts';

export interface Intake {
  readonly keys: TrackingKeys;
  readonly quota: DailyQuota;
  readonly limiter: RateLimiter;
  readonly requestsPerMinute: number;
  readonly log: VisitLog;
  /** With the stream's keys. */
  readonly vault: Pick<Vault, 'seal'>;
  readonly addressOf: (request: IncomingMessage) => string;
  readonly placeOf: (address: string) => Place;
  readonly agentOf: (userAgent: string | undefined) => Agent;
  readonly metrics: Metrics;
  readonly now: () => Date;
}

/** One request from its body to the log. Resolves when the log has it on disk; refuses in the words of the catalogue. */
export async function takeRequest(intake: Intake, request: IncomingMessage, body: Promise<Buffer>): Promise<Verdict> {
  const address = intake.addressOf(request);
  // Both at once: an allowance is asked for while the body is still on its way.
  const [verdict, bytes] = await Promise.all([
    intake.limiter.take(`visits:${hidden(address)}`, intake.requestsPerMinute),
    body,
  ]);
  if (!verdict.allowed) throw tooMany(verdict);
  const { client_id, visits, ...envelope } = parseEnvelope(bytes);
  const key = await keyOf(intake.keys, envelope.key);
  const { headers } = request;
  if (!isAllowedOrigin(headers.origin, key.allowedHosts))
    throw new Refusal('forbidden', 'Pages of this origin may not send visits for this key.', {
      fields: { reason: 'origin' },
    });
  takeQuota(intake.quota, key, visits.length);
  const { country, city } = intake.placeOf(address);
  const message = sealMessage(
    // Made from what was sent: a request that comes again is the same one.
    hash('sha256', bytes, 'base64url'),
    {
      profile_id: key.profileId,
      client_id,
      received_at: intake.now().toISOString(),
      country,
      city: key.keepsCity ? city : '',
      user_agent: intake.agentOf(headers['user-agent']),
    },
    visits,
    key.ownHosts,
    intake.vault,
  );
  try {
    await publish(intake.log, message);
  } catch (error) {
    intake.quota.giveBack(key.profileId, visits.length);
    throw error;
  }
  intake.metrics.countVisits(message.visits.length, message.broken.length);
  return verdict;
}

function parseEnvelope(bytes: Buffer) {
  let said: unknown;
  try {
    said = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new Refusal('invalid_request', 'The body is not JSON.');
  }
  const read = readEnvelope(said);
  if (read.ok) return read.envelope;
  if (read.reason === 'bad_key') throw new Refusal('unauthorized', unknownKey);
  throw new Refusal('invalid_request', 'The body is not {key, client_id, visits} with 1 to 50 visits.', {
    fields: { reason: read.reason },
  });
}

const unknownKey = 'This tracking key is not known, or no longer.';

async function keyOf(keys: TrackingKeys, text: string): Promise<TrackingKey> {
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

function takeQuota(quota: DailyQuota, { profileId, plan, dailyVisitQuota }: TrackingKey, visits: number): void {
  const refused = quota.take(profileId, visits, visitsPerDay(plan, dailyVisitQuota));
  if (refused)
    throw new Refusal('rate_limit_exceeded', 'The profile has sent as many visits today as it may.', {
      fields: { reason: 'daily_quota' },
      headers: { 'retry-after': String(refused.retryAfterSeconds) },
    });
}

async function publish(log: VisitLog, message: VisitMessage): Promise<void> {
  try {
    await log.publish(message.id, `${message.profile_id}:${message.client_id}`, JSON.stringify(message));
  } catch (error) {
    if (error instanceof PublishFailed) throw away(error.message);
    throw error;
  }
}

export const away = (internal: string): Refusal =>
  new Refusal('service_unavailable', 'Visits cannot be kept right now. Send them again in a moment.', {
    internal,
    headers: { 'retry-after': '2' },
  });
