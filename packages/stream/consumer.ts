import { setTimeout as sleep } from 'node:timers/promises';
import type { Consumer, ConsumerMessages } from '@nats-io/jetstream';
import type { DeadLetters } from './dead-letters.ts';
import { Delivery } from './delivery.ts';
import { Desk, type DeskSettings } from './desk.ts';
import { type DurableSettings, ensureDurable } from './durable.ts';
import type { Handler, Observer } from './handler.ts';
import { Inbox } from './inbox.ts';
import type { Link } from './link.ts';

export interface ConsumerSettings extends DurableSettings, DeskSettings {
  /** Most messages in one call of the handler. */
  readonly maxMessages: number;
  /** How long a batch that is not full waits for more. */
  readonly maxWaitMs: number;
  /**
   * How long the server keeps a request for messages open, at least 1,000. A stop waits for it to end: messages on their way
   * to a reader who hung up would come again only after `ackWaitMs`.
   */
  readonly pullMs: number;
}

export interface ConsumeOptions extends Partial<ConsumerSettings> {
  /** Workers of the same name share the messages; another name gets all of them for itself. */
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

/** Pulls, gathers batches, has them handled one after the other, and pulls the next one meanwhile. */
export class StreamConsumer {
  readonly #link: Link;
  readonly #stream: string;
  readonly #name: string;
  readonly #settings: ConsumerSettings;
  readonly #observe: Observer;
  readonly #inbox = new Inbox<Delivery>();
  readonly #desk: Desk;
  /** Everything delivered to us and not answered. */
  readonly #held = new Set<Delivery>();
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
    this.#desk = new Desk(options.handler, letters, this.#settings, this.#observe, this.#stopping.signal);
    // Also for those still in the inbox: their clock runs since they were delivered.
    this.#heartbeat = setInterval(() => {
      for (const delivery of this.#held) delivery.stillWorking();
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

  /** Pulls no more, lets the running handler finish and answers for it; what nobody handled goes back to the server. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#inbox.close();
    // Without a server the request would never end.
    const cut = setTimeout(
      () => this.#pulled?.stop(),
      this.#link.isUp ? this.#settings.pullMs + pauseAfterFailureMs : 0,
    );
    await this.#finished;
    clearTimeout(cut);
    clearInterval(this.#heartbeat);
    // Not before our last request is over: the server would hand them straight back to us, and count a delivery each time.
    for (const delivery of this.#held) delivery.giveBack();
    this.#held.clear();
    // The answers are out of the door only when the server has confirmed a ping behind them.
    await Promise.race([this.#link.nats.flush().catch(() => {}), sleep(flushMs, undefined, { ref: false })]);
  }

  async #pull(durable: Consumer): Promise<void> {
    const { maxMessages, pullMs } = this.#settings;
    while (!this.#stopping.signal.aborted) {
      try {
        this.#pulled = await durable.fetch({ max_messages: maxMessages, expires: pullMs });
        for await (const message of this.#pulled) this.#receive(new Delivery(message));
        await this.#inbox.roomBelow(maxMessages);
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        this.#observe({ kind: 'interrupted', error });
        await sleep(pauseAfterFailureMs);
        durable = await this.#recover(durable);
      }
    }
  }

  #receive(delivery: Delivery): void {
    this.#held.add(delivery);
    this.#inbox.add(delivery);
  }

  /** The server may have lost the durable, too; without a look we would ask in vain for ever. */
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
      await this.#desk.handle(batch);
      for (const delivery of batch) if (delivery.isAnswered) this.#held.delete(delivery);
    }
  }
}
