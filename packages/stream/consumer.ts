import { setTimeout as sleep } from 'node:timers/promises';
import type { Consumer, ConsumerMessages } from '@nats-io/jetstream';
import { BatchProcessor, type BatchProcessorSettings } from './batch-processor.ts';
import type { DeadLetters } from './dead-letters.ts';
import { Delivery } from './delivery.ts';
import { type DurableSettings, ensureDurable } from './durable.ts';
import type { Handler, Observer } from './handler.ts';
import { Inbox } from './inbox.ts';
import type { Link } from './link.ts';

export interface ConsumerSettings extends DurableSettings, BatchProcessorSettings {
  /** The largest batch that the handler receives. */
  readonly maxMessages: number;
  /** How long an incomplete batch waits for more messages. */
  readonly maxWaitMs: number;
  /**
   * How long the server keeps a request for messages open, at least 1,000. A stop waits until the request ends: messages sent to a closed
   * request would be delivered again only after `ackWaitMs`.
   */
  readonly pullMs: number;
}

export interface ConsumeOptions extends Partial<ConsumerSettings> {
  /** Workers with the same name share the messages; each other name receives all of them. */
  readonly name: string;
  readonly handler: Handler;
  /** For logs and metrics. */
  readonly observe?: Observer;
}

const defaultConsumerSettings: ConsumerSettings = {
  maxMessages: 100,
  maxWaitMs: 100,
  pullMs: 2_000,
  ackWaitMs: 30_000,
  maxUnacknowledged: 10_000,
  maxDeliveries: 5,
  backoffMs: [1_000, 5_000, 30_000, 120_000],
  holdMs: 300_000,
};

const pauseAfterFailureMs = 500;
const flushMs = 2_000;

/** Pulls messages, batches them, and passes the batches to the handler one at a time while it pulls the next ones. */
export class StreamConsumer {
  readonly #link: Link;
  readonly #stream: string;
  readonly #name: string;
  readonly #settings: ConsumerSettings;
  readonly #observe: Observer;
  readonly #inbox = new Inbox<Delivery>();
  readonly #processor: BatchProcessor;
  /** All messages that were delivered to this consumer and not answered. */
  readonly #unanswered = new Set<Delivery>();
  readonly #stopping = new AbortController();
  readonly #heartbeat: NodeJS.Timeout;
  readonly #finished: Promise<unknown>;
  #pulled: ConsumerMessages | undefined;

  private constructor(link: Link, stream: string, letters: DeadLetters, durable: Consumer, options: ConsumeOptions) {
    this.#link = link;
    this.#stream = stream;
    this.#name = options.name;
    this.#settings = { ...defaultConsumerSettings, ...options };
    this.#observe = options.observe ?? (() => {});
    this.#processor = new BatchProcessor(
      options.handler,
      letters,
      this.#settings,
      this.#observe,
      this.#stopping.signal,
    );
    // Also for messages in the inbox, because their ack timeout runs from the delivery.
    this.#heartbeat = setInterval(() => {
      for (const delivery of this.#unanswered) delivery.stillWorking();
    }, this.#settings.ackWaitMs / 3);
    this.#finished = Promise.all([this.#pull(durable), this.#work()]);
  }

  static async start(
    link: Link,
    stream: string,
    letters: DeadLetters,
    options: ConsumeOptions,
  ): Promise<StreamConsumer> {
    const durable = await ensureDurable(link, stream, options.name, { ...defaultConsumerSettings, ...options });
    return new StreamConsumer(link, stream, letters, durable, options);
  }

  /** Stops pulling, lets the running handler finish, and returns unhandled messages to the server. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#inbox.close();
    // Without a connection the request would never end.
    const stopTimer = setTimeout(
      () => this.#pulled?.stop(),
      this.#link.isUp ? this.#settings.pullMs + pauseAfterFailureMs : 0,
    );
    await this.#finished;
    clearTimeout(stopTimer);
    clearInterval(this.#heartbeat);
    // Not before the last pull request has ended: the server would deliver the messages to it again at once and count a delivery each time.
    for (const delivery of this.#unanswered) delivery.giveBack();
    this.#unanswered.clear();
    // The acknowledgements are certain to be sent once the server has confirmed a ping after them.
    await Promise.race([this.#link.nats.flush().catch(() => {}), sleep(flushMs, undefined, { ref: false })]);
  }

  async #pull(durable: Consumer): Promise<void> {
    const { maxMessages, pullMs } = this.#settings;
    while (!this.#stopping.signal.aborted) {
      try {
        this.#pulled = await durable.fetch({ max_messages: maxMessages, expires: pullMs });
        for await (const message of this.#pulled) this.#receive(new Delivery(message));
        await this.#inbox.untilBelow(maxMessages);
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        this.#observe({ kind: 'interrupted', error });
        await sleep(pauseAfterFailureMs);
        durable = await this.#recover(durable);
      }
    }
  }

  #receive(delivery: Delivery): void {
    this.#unanswered.add(delivery);
    this.#inbox.add(delivery);
  }

  /** The server may have lost the durable consumer too; without this check pulls would fail forever. */
  async #recover(durable: Consumer): Promise<Consumer> {
    try {
      return await ensureDurable(this.#link, this.#stream, this.#name, this.#settings);
    } catch (error) {
      this.#observe({ kind: 'interrupted', error });
      return durable;
    }
  }

  async #work(): Promise<void> {
    const { maxMessages, maxWaitMs } = this.#settings;
    while (!this.#stopping.signal.aborted) {
      const batch = await this.#inbox.take(maxMessages, maxWaitMs);
      await this.#processor.handle(batch);
      for (const delivery of batch) if (delivery.isAnswered) this.#unanswered.delete(delivery);
    }
  }
}
