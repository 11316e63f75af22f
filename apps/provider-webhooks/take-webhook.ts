import { isSignedByAny, sealWebhook } from '@tributary/domain/connections/intake.ts';
import type { Received, Receiver } from '@tributary/providers';
import type { AddressGroup, Leases, RateLimiter } from '@tributary/redis';
import { MessageRefused, PublishFailed, type Stream, type WorkStream } from '@tributary/stream';
import type { Metrics } from '@tributary/telemetry';
import { KeyNotLoaded, type Sealer, type Vault } from '@tributary/vault';
import type { Channel } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { takeOfSource, takeOfUnverified, type WebhookSource } from './budgets.ts';
import { notNow, tooLarge, wrongSignature } from './refusals.ts';
import { recheckedMs, type SecretCache, SecretsAway } from './secret-cache.ts';

export interface Intake {
  readonly secrets: SecretCache;
  /** Opens the secrets of accounts. */
  readonly vault: Pick<Vault, 'open'>;
  /** Seals for the worker. What it sealed, this process cannot open. */
  readonly sealer: Pick<Sealer, 'sealBytes'>;
  readonly stream: Pick<Stream, 'webhooks' | 'unverifiedWebhooks'>;
  readonly leases: Leases;
  readonly limiter: RateLimiter;
  readonly metrics: Metrics;
  readonly now: () => Date;
}

export interface Sent {
  readonly channel: Channel;
  readonly receiver: Receiver;
  readonly delivery: Received;
  readonly group: AddressGroup;
}

/** Longer than any provider's name of an account. */
const longestAccount = 255;
/** Shorter than providers wait for an answer. */
const deadlineMs = 3_000;

/** One webhook from its body to the stream. Resolves when the stream has it on disk. */
export async function takeWebhook(intake: Intake, { channel, receiver, delivery, group }: Sent): Promise<void> {
  const receivedAt = intake.now();
  const source = { channel, account: receiver.tells?.accountOf(delivery)?.slice(0, longestAccount + 1) };
  const verdict = await verify(intake, receiver, delivery, source, receivedAt);
  if (verdict === 'unsigned') throw wrongSignature();
  if (verdict === 'signed') takeOfSource(intake.leases, source, delivery.body.length);
  const message = await sealWebhook(intake.sealer, uuid(), { channel, delivery, receivedAt });
  if (verdict === 'unknown') await takeOfUnverified(intake.limiter, source, group, message.payload.length);
  await publish(verdict === 'signed' ? intake.stream.webhooks : intake.stream.unverifiedWebhooks, message);
  intake.metrics.countWebhook(channel, verdict === 'signed');
}

/** `unknown`: the secret cannot be read at the moment. */
type Verdict = 'signed' | 'unsigned' | 'unknown';

async function verify(
  { secrets, vault }: Intake,
  receiver: Receiver,
  delivery: Received,
  { channel, account }: WebhookSource & { readonly channel: Channel },
  receivedAt: Date,
): Promise<Verdict> {
  if (!receiver.tells) return receiver.receive?.verify(delivery, receivedAt) ? 'signed' : 'unsigned';
  if (!account || account.length > longestAccount) return 'unsigned';
  try {
    const known = await secrets.find(channel, account);
    if (isSignedByAny(vault, receiver, delivery, known)) return 'signed';
    const newest = await secrets.find(channel, account, recheckedMs);
    return newest !== known && isSignedByAny(vault, receiver, delivery, newest) ? 'signed' : 'unsigned';
  } catch (error) {
    if (error instanceof SecretsAway || error instanceof KeyNotLoaded) return 'unknown';
    throw error;
  }
}

async function publish(stream: WorkStream, message: Parameters<WorkStream['publish']>[0]): Promise<void> {
  try {
    await stream.publish(message, { deadlineMs });
  } catch (error) {
    if (error instanceof PublishFailed) throw notNow(error.message);
    // Incompressible, and larger than what this NATS server takes in one message.
    if (error instanceof MessageRefused) throw tooLarge();
    throw error;
  }
}
