import { isSignedByAny, sealWebhook } from '@tributary/domain/advertising/connections/intake.ts';
import type { Receiver, WebhookDelivery } from '@tributary/providers';
import type { AddressGroup, Leases, RateLimiter } from '@tributary/redis';
import { MessageRefused, PublishFailed, type Stream, type WorkStream } from '@tributary/stream';
import type { Metrics } from '@tributary/telemetry';
import { KeyNotLoaded, type Sealer, type Vault } from '@tributary/vault';
import type { Channel } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { chargeSource, chargeUnverified, type WebhookSource } from './rate-limits.ts';
import { tooLarge, unavailable, wrongSignature } from './refusals.ts';
import { recheckAfterMs, type SecretCache, SecretsUnavailable } from './secret-cache.ts';

export interface WebhookStore {
  readonly secrets: SecretCache;
  /** Decrypts the secrets of accounts. */
  readonly vault: Pick<Vault, 'open'>;
  /** Encrypts for the worker. This process cannot decrypt the result. */
  readonly sealer: Pick<Sealer, 'sealBytes'>;
  readonly stream: Pick<Stream, 'webhooks' | 'unverifiedWebhooks'>;
  readonly leases: Leases;
  readonly limiter: RateLimiter;
  readonly metrics: Metrics;
  readonly now: () => Date;
}

export interface IncomingWebhook {
  readonly channel: Channel;
  readonly receiver: Receiver;
  readonly delivery: WebhookDelivery;
  readonly group: AddressGroup;
}

/** Longer than any provider's account id. */
const maxAccountLength = 255;
/** Shorter than the response timeout of providers. */
const deadlineMs = 3_000;

/** Verifies, encrypts and publishes one webhook. Resolves when it is on disk. */
export async function storeWebhook(
  store: WebhookStore,
  { channel, receiver, delivery, group }: IncomingWebhook,
): Promise<void> {
  const receivedAt = store.now();
  const source = { channel, account: receiver.selfSignedWebhooks?.accountOf(delivery)?.slice(0, maxAccountLength + 1) };
  const verdict = await verify(store, receiver, delivery, source, receivedAt);
  if (verdict === 'invalid') throw wrongSignature();
  if (verdict === 'verified') chargeSource(store.leases, source, delivery.body.length);
  const message = await sealWebhook(store.sealer, uuid(), { channel, delivery, receivedAt });
  if (verdict === 'unverified') await chargeUnverified(store.limiter, source, group, message.payload.length);
  await publish(verdict === 'verified' ? store.stream.webhooks : store.stream.unverifiedWebhooks, message);
  store.metrics.countWebhook(channel, verdict === 'verified');
}

/** `unverified`: the secret is not available right now. */
type Verdict = 'verified' | 'invalid' | 'unverified';

async function verify(
  { secrets, vault }: WebhookStore,
  receiver: Receiver,
  delivery: WebhookDelivery,
  { channel, account }: WebhookSource & { readonly channel: Channel },
  receivedAt: Date,
): Promise<Verdict> {
  if (!receiver.selfSignedWebhooks) return receiver.receive?.verify(delivery, receivedAt) ? 'verified' : 'invalid';
  if (!account || account.length > maxAccountLength) return 'invalid';
  try {
    const cached = await secrets.find(channel, account);
    if (isSignedByAny(vault, receiver, delivery, cached)) return 'verified';
    const newest = await secrets.find(channel, account, recheckAfterMs);
    return newest !== cached && isSignedByAny(vault, receiver, delivery, newest) ? 'verified' : 'invalid';
  } catch (error) {
    if (error instanceof SecretsUnavailable || error instanceof KeyNotLoaded) return 'unverified';
    throw error;
  }
}

async function publish(stream: WorkStream, message: Parameters<WorkStream['publish']>[0]): Promise<void> {
  try {
    await stream.publish(message, { deadlineMs });
  } catch (error) {
    if (error instanceof PublishFailed) throw unavailable(error.message);
    // The compressed body exceeds the message limit of this NATS server.
    if (error instanceof MessageRefused) throw tooLarge();
    throw error;
  }
}
