import { addressWork, type OutgoingMessage } from './address.ts';
import { type ConsumeOptions, StreamConsumer } from './consumer.ts';
import type { DeadLetters } from './dead-letters.ts';
import { type Fill, fillOf } from './fill.ts';
import type { Link } from './link.ts';
import type { Publisher, PublishOptions } from './publisher.ts';
import { deadLetterHeadroomBytes, type StreamDeclaration } from './streams.ts';

/** One consumer reads it, for all workers together. */
const consumerName = 'worker';

/** Messages that wait for a worker, on disk. Whatever was handled leaves it; a full one refuses new messages. */
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

  /** Most bytes of one message with its headers: as declared, or as the server takes them. */
  get maxMessageBytes(): number {
    const ofServer = (this.#link.nats.info?.max_payload ?? this.#maxBytes) - deadLetterHeadroomBytes;
    return Math.min(this.#maxBytes, ofServer);
  }

  /** Resolves when the message is on disk. Throws PublishFailed, or MessageRefused before anything is sent. */
  async publish(message: Omit<OutgoingMessage, 'key' | 'place'>, options?: PublishOptions): Promise<void> {
    await this.#publisher.publish([addressWork(message, this.#declaration, this.maxMessageBytes)], options);
  }

  /** Starts to handle messages; `stop()` of the result ends it in good order. */
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

  /** How many messages were not handled yet. */
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
