import { addressWork, type OutgoingMessage } from './address.ts';
import { type ConsumeOptions, StreamConsumer } from './consumer.ts';
import type { DeadLetters } from './dead-letters.ts';
import { type Fill, fillOf } from './fill.ts';
import type { Link } from './link.ts';
import type { Publisher, PublishOptions } from './publisher.ts';
import { deadLetterHeadroomBytes, type StreamDeclaration } from './streams.ts';

/** All workers share one consumer. */
const consumerName = 'worker';

/** Messages that wait on disk for a worker. Handled messages are deleted; a full stream refuses new ones. */
export class WorkStream {
  readonly #link: Link;
  readonly #publisher: Publisher;
  readonly #letters: DeadLetters;
  readonly #declaration: StreamDeclaration;
  readonly #maxBytes: number;
  readonly #consumers = new Set<StreamConsumer>();

  constructor(
    link: Link,
    publisher: Publisher,
    letters: DeadLetters,
    declaration: StreamDeclaration,
    maxBytes: number,
  ) {
    this.#link = link;
    this.#publisher = publisher;
    this.#letters = letters;
    this.#declaration = declaration;
    this.#maxBytes = maxBytes;
  }

  /** Size limit of a message with its headers: the declared limit, or what the server accepts if that is less. */
  get maxMessageBytes(): number {
    const serverLimit = (this.#link.nats.info?.max_payload ?? this.#maxBytes) - deadLetterHeadroomBytes;
    return Math.min(this.#maxBytes, serverLimit);
  }

  /** Resolves when the message is on disk. Throws PublishFailed, or MessageRefused before the message is sent. */
  async publish(message: Omit<OutgoingMessage, 'key' | 'place'>, options?: PublishOptions): Promise<void> {
    await this.#publisher.publish([addressWork(message, this.#declaration, this.maxMessageBytes)], options);
  }

  /** Starts to handle messages. `stop()` of the result ends it gracefully. */
  async consume(options: Omit<ConsumeOptions, 'name'>): Promise<{ stop(): Promise<void> }> {
    const settings = { ...options, name: consumerName };
    const consumer = await StreamConsumer.start(this.#link, this.#declaration.name, this.#letters, settings);
    this.#consumers.add(consumer);
    return {
      stop: () => {
        this.#consumers.delete(consumer);
        return consumer.stop();
      },
    };
  }

  /** The number of messages that were not handled yet. */
  async waiting(): Promise<number> {
    return (await this.#link.manager.streams.info(this.#declaration.name)).state.messages;
  }

  fill(): Promise<Fill> {
    return fillOf(this.#link, this.#declaration.name);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#consumers].map((consumer) => consumer.stop()));
  }
}
