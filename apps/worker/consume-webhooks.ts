import { type WebhookWork, webhookHandler } from '@tributary/domain/advertising/connections/module.ts';
import type { ConsumerEvent, Stream } from '@tributary/stream';
import type { Log } from '@tributary/telemetry';

/** Concurrency per stream. As many more wait in memory, at up to 2 MiB each. */
const concurrency = 4;

/** Verifies, parses and applies provider webhooks. */
export async function consumeWebhooks(
  stream: Pick<Stream, 'webhooks' | 'unverifiedWebhooks'>,
  work: WebhookWork,
  log: Log,
  onError: (error: unknown) => void,
): Promise<{ stop(): Promise<void> }> {
  const handler = webhookHandler(work);
  const options = {
    handler,
    maxMessages: concurrency,
    maxWaitMs: 5,
    ackWaitMs: 10_000,
    observe: (event: ConsumerEvent) => logEvent(log, onError, event),
  };
  const consumers = await Promise.all([stream.webhooks.consume(options), stream.unverifiedWebhooks.consume(options)]);
  return {
    async stop() {
      await Promise.all(consumers.map((consumer) => consumer.stop()));
    },
  };
}

/** Logs ids and counts only. The reason may quote the body, so it is stored only in the dead letter. */
function logEvent(log: Log, onError: (error: unknown) => void, event: ConsumerEvent): void {
  if (event.kind === 'interrupted' || event.kind === 'dead-letter-failed') onError(event.error);
  else if (event.kind === 'waiting')
    log.say('provider webhooks wait', { messages: event.messages, reason: event.reason });
  else log.say(`provider webhooks ${event.kind}`, { id: event.id, deliveries: event.deliveries });
}
