import { isUnavailable, wasTooSlow } from '@tributary/postgres';
import { type Handler, RetryLater, type StreamMessage } from '@tributary/stream';
import { KeyNotLoaded, type Opener, UnreadableSecret } from '@tributary/vault';
import { applyWebhook, type ProviderWebhook, type WebhookServices } from './apply.ts';
import { deadLetterHeaders } from './dead-letters.ts';
import { openWebhook } from './message.ts';

export interface WebhookWork extends WebhookServices {
  readonly streamVault: Pick<Opener, 'openBytes'>;
  /** Reloads the stream keys: a message may use a newer key than the loaded ones. */
  readonly refreshKeys: () => Promise<void>;
  /** Counts a dropped webhook: its signature is wrong or its connection was removed. */
  readonly countDropped: (channel: string) => void;
  readonly now: () => Date;
}

const retryDelayMs = 1_000;

/** Verifies and applies webhooks of the work streams. Messages are acknowledged when it resolves. */
export const webhookHandler =
  (work: WebhookWork): Handler =>
  async (batch) => {
    // Waits for all messages, so that none is still being applied when the batch is retried.
    const outcomes = await Promise.allSettled(batch.map((message) => applyMessage(work, message)));
    const failures = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    const outage = failures.find(
      (error) => (isUnavailable(error) && !wasTooSlow(error)) || error instanceof KeyNotLoaded,
    );
    if (outage) throw new RetryLater('PostgreSQL is unavailable.', { delayMs: retryDelayMs, cause: outage });
    if (failures.length > 0) throw failures[0];
  };

async function applyMessage(work: WebhookWork, message: StreamMessage): Promise<void> {
  const webhook = await decryptMessage(work, message);
  if (!webhook) return;
  const applied = await applyWebhook(work, webhook, work.now());
  if (applied.kind === 'unsigned') work.countDropped(webhook.channel);
  else if (applied.kind === 'rejected') message.reject(applied.reason, deadLetterHeaders(applied.profileIds));
  else if (applied.kind === 'unknown') message.reject(`The worker has no settings for webhooks of ${webhook.channel}.`);
}

async function decryptMessage(work: WebhookWork, message: StreamMessage): Promise<ProviderWebhook | undefined> {
  try {
    const webhook = await decryptWithKeys(work, message);
    if (!webhook) message.reject('The message is not a provider webhook.');
    return webhook;
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error;
    message.reject('The message cannot be decrypted: its key was retired, or it was modified.');
    return undefined;
  }
}

async function decryptWithKeys({ streamVault, refreshKeys }: WebhookWork, message: StreamMessage) {
  try {
    return await openWebhook(streamVault, message);
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error;
    await refreshKeys();
    return openWebhook(streamVault, message);
  }
}
