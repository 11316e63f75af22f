import { type Ingestion, pipeline, visitsConsumer } from '@tributary/domain/traffic/ingestion/module.ts';
import type { ConsumerEvent, Stream } from '@tributary/stream';
import type { Log } from '@tributary/telemetry';

/** ClickHouse needs few and large inserts: up to 200 messages, or the messages of a quarter of a second. */
export function consumeVisits(
  stream: Stream,
  ingestion: Ingestion,
  log: Log,
  onError: (error: unknown) => void,
): Promise<{ stop(): Promise<void> }> {
  return stream.consume({
    name: visitsConsumer,
    handler: pipeline(ingestion),
    maxMessages: 200,
    maxWaitMs: 250,
    // The messages of a killed worker are redelivered after this time; a live worker extends it.
    ackWaitMs: 10_000,
    observe: (event) => logEvent(log, onError, event),
  });
}

/** Logs ids and counts only. The reason may quote visitor data, so it stays in the dead letter. */
function logEvent(log: Log, onError: (error: unknown) => void, event: ConsumerEvent): void {
  if (event.kind === 'interrupted' || event.kind === 'dead-letter-failed') onError(event.error);
  else if (event.kind === 'waiting') log.say('visits wait', { messages: event.messages, reason: event.reason });
  else log.say(`visits ${event.kind}`, { id: event.id, deliveries: event.deliveries });
}
