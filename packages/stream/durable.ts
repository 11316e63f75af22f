import {
  AckPolicy,
  type Consumer,
  type ConsumerConfig,
  DeliverPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  ReplayPolicy,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import type { Link } from './link.ts';

export interface DurableSettings {
  /** How long the server waits for an answer before it redelivers. The consumer extends it after a third of that time. */
  readonly ackWaitMs: number;
  /** Maximum of delivered but unanswered messages over all workers, including those that wait for a retry. */
  readonly maxUnacknowledged: number;
}

/** JetStream's error code for "a consumer of this name exists with other settings". */
const nameInUse = 10148;

/**
 * Creates or updates the durable consumer. One serves all partitions and all workers: processing does not depend on the order of arrival,
 * so the server may deliver any message to any worker.
 */
export async function ensureDurable(
  link: Link,
  stream: string,
  name: string,
  settings: DurableSettings,
): Promise<Consumer> {
  const changeable = {
    ack_wait: nanos(settings.ackWaitMs),
    max_ack_pending: settings.maxUnacknowledged,
    // With a limit of its own the server would stop delivering without a notice if no worker runs. The consumer counts deliveries itself.
    max_deliver: -1,
  } satisfies Partial<ConsumerConfig>;
  const { consumers } = link.manager;
  const info = await consumers
    .add(stream, {
      durable_name: name,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      replay_policy: ReplayPolicy.Instant,
      ...changeable,
    })
    .catch((error: Error) => {
      if (error instanceof JetStreamApiError && error.code === nameInUse)
        return consumers.update(stream, name, changeable);
      throw error;
    });
  return link.jetstream.consumers.getConsumerFromInfo(info);
}

/** Deletes the durable consumer. The next one of this name begins with the oldest message. */
export async function forgetDurable(link: Link, stream: string, name: string): Promise<void> {
  try {
    await link.manager.consumers.delete(stream, name);
  } catch (error) {
    if (!(error instanceof JetStreamApiError && error.code === JetStreamApiCodes.ConsumerNotFound)) throw error;
  }
}
