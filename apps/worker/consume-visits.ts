import { type Ingestion, pipeline, visitsConsumer } from '@tributary/domain/ingestion/room.ts';
import type { ConsumerEvent, Stream } from '@tributary/stream';
import type { Log } from '@tributary/telemetry';

/** ClickHouse likes few and large inserts: up to 200 messages, or what came within a quarter of a second. */
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
    // What a killed worker held comes again after this; whoever lives says so in time.
    ackWaitMs: 10_000,
    observe: (event) => tell(log, onError, event),
  });
}

/** Ids and counts. A reason may quote what was sent, so it stays in the dead letter. */
function tell(log: Log, onError: (error: unknown) => void, event: ConsumerEvent): void {
  if (event.kind === 'interrupted' || event.kind === 'dead-letter-failed') onError(event.error);
  else if (event.kind === 'waiting') log.say('visits wait', { messages: event.messages, reason: event.reason });
  else log.say(`visits ${event.kind}`, { id: event.id, deliveries: event.deliveries });
}
