import { isAway, wasTooSlow } from '@tributary/postgres';
import { type Handler, RetryLater, type StreamMessage } from '@tributary/stream';
import { KeyNotLoaded, type Opener, UnreadableSecret } from '@tributary/vault';
import { applyWebhook, type ProviderWebhook, type WebhookServices } from './apply.ts';
import { letterHeaders } from './letters.ts';
import { openWebhook } from './message.ts';

export interface WebhookWork extends WebhookServices {
  readonly streamVault: Pick<Opener, 'openBytes'>;
  /** A message may be sealed with a key that is younger than the last look at the ring. */
  readonly refreshKeys: () => Promise<void>;
  /** A webhook whose signature is wrong, or whose connection is gone, leaves nothing but this count. */
  readonly countDropped: (channel: string) => void;
  readonly now: () => Date;
}

const pauseMs = 1_000;

/** Verifies and applies webhooks of the work streams. When it resolves, the messages are acknowledged. */
export const webhookHandler =
  (work: WebhookWork): Handler =>
  async (batch) => {
    // Each to its end, so that none is applied while it is tried again.
    const outcomes = await Promise.allSettled(batch.map((message) => applyMessage(work, message)));
    const failures = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    const away = failures.find((error) => (isAway(error) && !wasTooSlow(error)) || error instanceof KeyNotLoaded);
    if (away) throw new RetryLater('PostgreSQL is away.', { delayMs: pauseMs, cause: away });
    if (failures.length > 0) throw failures[0];
  };

async function applyMessage(work: WebhookWork, message: StreamMessage): Promise<void> {
  const webhook = await openMessage(work, message);
  if (!webhook) return;
  const applied = await applyWebhook(work, webhook, work.now());
  if (applied.kind === 'unsigned') work.countDropped(webhook.channel);
  else if (applied.kind === 'rejected') message.reject(applied.reason, letterHeaders(applied.profileIds));
  else if (applied.kind === 'unknown') message.reject(`The worker has no settings for webhooks of ${webhook.channel}.`);
}

async function openMessage(work: WebhookWork, message: StreamMessage): Promise<ProviderWebhook | undefined> {
  try {
    const webhook = await openWithKeys(work, message);
    if (!webhook) message.reject('It is no webhook of a provider.');
    return webhook;
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error;
    message.reject('It does not open: the key was retired, or it was changed.');
    return undefined;
  }
}

async function openWithKeys({ streamVault, refreshKeys }: WebhookWork, message: StreamMessage) {
  try {
    return await openWebhook(streamVault, message);
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error;
    await refreshKeys();
    return openWebhook(streamVault, message);
  }
}
