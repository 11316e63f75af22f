import { type Clock, systemClock } from '@tributary/clock';
import { addressVisits, type OutgoingMessage } from './address.ts';
import { type ConsumeOptions, StreamConsumer } from './consumer.ts';
import { type CopiedMessage, putBack, readMessages } from './copy.ts';
import { DeadLetters } from './dead-letters.ts';
import { forgetDurable } from './durable.ts';
import { ensureStreams } from './ensure-streams.ts';
import type { Receipt } from './errors.ts';
import { type Fill, fillOf } from './fill.ts';
import { Link } from './link.ts';
import { type Copies, consumedThrough, copiesOf, firstSequence, lastSequence, waitingSince } from './positions.ts';
import { defaultPublisherSettings, Publisher, type PublisherSettings, type PublishOptions } from './publisher.ts';
import {
  declareStreams,
  defaultStreamSettings,
  type StreamDeclarations,
  type StreamName,
  type StreamSettings,
} from './streams.ts';
import { defaultTrimSettings, type TrimSettings, trimHandled } from './trim.ts';

export interface ConnectOptions extends Partial<StreamSettings>, Partial<PublisherSettings> {
  /** `nats://` or `tls://`, with user and password if need be; several servers with commas between. */
  readonly url: string;
  /** First word of all subjects and stream names, so that several installations or tests can share a server. */
  readonly prefix: string;
  /** Dates the dead letters. Deadlines run on the machine's monotonic clock. */
  readonly clock?: Clock;
  /** How long the first connection may take; a lost one is sought without end. */
  readonly connectMs?: number;
}

interface ServiceSettings {
  readonly natsUrl: string;
  readonly streamPrefix: string;
  readonly streamReplicas: number;
  readonly streamMaxMegabytes: number;
  readonly deadLetterMaxMegabytes: number;
  readonly deadLetterDays: number;
}

/** The log as the settings of the service want it. */
export const streamOptions = (settings: ServiceSettings): ConnectOptions => ({
  url: settings.natsUrl,
  prefix: settings.streamPrefix,
  replicas: settings.streamReplicas,
  maxBytes: settings.streamMaxMegabytes * 1_048_576,
  deadLetterMaxBytes: settings.deadLetterMaxMegabytes * 1_048_576,
  deadLetterRetentionMs: settings.deadLetterDays * 24 * 60 * 60_000,
});

export async function connectStream(options: ConnectOptions): Promise<Stream> {
  if (!/^[A-Za-z0-9_]{1,60}$/.test(options.prefix)) {
    throw new TypeError(`The stream prefix "${options.prefix}" may hold up to 60 letters, digits and underscores.`);
  }
  return new Stream(await Link.open(options.url, options.connectMs ?? 10_000), options);
}

/** The visits log. */
export class Stream {
  readonly deadLetters: DeadLetters;
  readonly #link: Link;
  readonly #settings: StreamSettings;
  readonly #streams: StreamDeclarations;
  readonly #publisher: Publisher;
  readonly #consumers = new Set<StreamConsumer>();

  constructor(link: Link, options: ConnectOptions) {
    this.#link = link;
    this.#settings = { ...defaultStreamSettings, ...options };
    this.#streams = declareStreams(options.prefix, this.#settings);
    this.#publisher = new Publisher(link, { ...defaultPublisherSettings, ...options });
    this.deadLetters = new DeadLetters(link, this.#publisher, this.#streams, options.clock ?? systemClock);
  }

  /** Creates or updates the streams, after a look whether the server can keep our promises. */
  ensureStreams(): Promise<void> {
    return ensureStreams(this.#link, this.#streams, this.#settings);
  }

  /** Resolves when every message is on the log's disk. Throws PublishFailed, or MessageRefused before anything is sent. */
  async publish(messages: readonly OutgoingMessage[], options?: PublishOptions): Promise<Receipt[]> {
    return this.#publisher.publish(addressVisits(messages, this.#streams.visits, this.#settings), options);
  }

  /** Messages sent and not yet acknowledged, and messages that wait for their turn. */
  get load(): { readonly inFlight: number; readonly waiting: number } {
    return this.#publisher.load;
  }

  /** False while the connection is being sought. */
  get isUp(): boolean {
    return this.#link.isUp;
  }

  /** Starts to read visits; `stop()` of the result ends it in good order. */
  async consume(options: ConsumeOptions): Promise<{ stop(): Promise<void> }> {
    const consumer = await StreamConsumer.start(this.#link, this.#streams.visits.name, this.deadLetters, options);
    this.#consumers.add(consumer);
    return {
      stop: async () => {
        this.#consumers.delete(consumer);
        await consumer.stop();
      },
    };
  }

  /** The sequence of the newest message the stream ever took; 0 before the first. */
  lastSequence(stream: StreamName = 'visits'): Promise<number> {
    return lastSequence(this.#link, this.#streams[stream].name);
  }

  /** The sequence of the oldest visit that is still there: 1 while none was ever dropped. */
  firstSequence(): Promise<number> {
    return firstSequence(this.#link, this.#streams.visits.name);
  }

  /** Every visit up to this sequence was handled by the consumer or became a dead letter. */
  consumedThrough(consumer: string): Promise<number> {
    return consumedThrough(this.#link, this.#streams.visits.name, consumer);
  }

  /** When the oldest visit came that the consumer has not handled; undefined where none waits. */
  waitingSince(consumer: string): Promise<Date | undefined> {
    return waitingSince(this.#link, this.#streams.visits, consumer);
  }

  /** Has the consumer read everything again that the log still holds: its place is forgotten, and whoever reads next makes it anew. */
  rewind(consumer: string): Promise<void> {
    return forgetDurable(this.#link, this.#streams.visits.name, consumer);
  }

  /** On how many servers the visits are. */
  copies(): Promise<Copies> {
    return copiesOf(this.#link, this.#streams.visits.name);
  }

  /** What a stream holds, for a backup: after a sequence, up to its end as it is now. */
  async *read(stream: StreamName, after: number): AsyncIterable<CopiedMessage> {
    const through = await this.lastSequence(stream);
    yield* readMessages(this.#link, stream, this.#streams[stream], { after, through });
  }

  /** Puts messages back that were read. */
  putBack(messages: readonly CopiedMessage[]): Promise<void> {
    return putBack(this.#publisher, this.#streams, messages);
  }

  /** How full the stream is. A full log refuses visits. */
  fill(stream: StreamName = 'visits'): Promise<Fill> {
    return fillOf(this.#link, this.#streams[stream].name);
  }

  /** Frees visits that every consumer has handled, if the log is full enough. Resolves to how many messages went. */
  trim(settings: Partial<TrimSettings> = {}): Promise<number> {
    return trimHandled(this.#link, this.#streams.visits.name, { ...defaultTrimSettings, ...settings });
  }

  /** Stops the consumers, waits for what is being published, and hangs up. */
  async close(): Promise<void> {
    await Promise.all([...this.#consumers].map((consumer) => consumer.stop()));
    await this.#publisher.idle();
    await this.#link.close();
  }
}
