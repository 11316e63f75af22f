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
  /** How long the server waits for an answer before it delivers again. We report in at a third of it. */
  readonly ackWaitMs: number;
  /** Most messages delivered and not answered, over all workers, those that wait for a retry included. */
  readonly maxUnacknowledged: number;
}

/** The API's code for "there is one of that name, with other settings". */
const nameInUse = 10148;

/**
 * Creates or updates the durable consumer. One serves all partitions and all workers: nothing in the pipeline depends on
 * the order of arrival, so the server may hand any message to any worker.
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
    // The server would stop delivering after its own limit and tell nobody, if no worker is there. We count ourselves.
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

/** Without it, whoever asks for it next begins with the oldest message. */
export async function forgetDurable(link: Link, stream: string, name: string): Promise<void> {
  try {
    await link.manager.consumers.delete(stream, name);
  } catch (error) {
    if (!(error instanceof JetStreamApiError && error.code === JetStreamApiCodes.ConsumerNotFound)) throw error;
  }
}
