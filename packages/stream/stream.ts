import { type Clock, systemClock } from '@tributary/clock';
import { addressVisits, type OutgoingMessage } from './address.ts';
import { type ConsumeOptions, StreamConsumer } from './consumer.ts';
import { type CopiedMessage, readMessages, restore } from './copy.ts';
import { DeadLetters } from './dead-letters.ts';
import { forgetDurable } from './durable.ts';
import { ensureStreams, ensureWorkStreams } from './ensure-streams.ts';
import type { Receipt } from './errors.ts';
import { type Fill, fillOf } from './fill.ts';
import { Link } from './link.ts';
import { partitionOf } from './partition.ts';
import {
  type Copies,
  consumedThrough,
  copiesOf,
  type Extent,
  extentOf,
  lastSequence,
  type StreamPosition,
  sequencesOf,
  toPosition,
  waitingSince,
} from './positions.ts';
import { defaultPublisherSettings, Publisher, type PublisherSettings, type PublishOptions } from './publisher.ts';
import {
  declareStreams,
  declareWorkStreams,
  defaultStreamSettings,
  type StreamDeclaration,
  type StreamDeclarations,
  type StreamSettings,
  type WorkStreamDeclarations,
  workStreamNames,
} from './streams.ts';
import { defaultTrimSettings, type TrimSettings, trimHandled } from './trim.ts';
import { WorkStream } from './work-stream.ts';

export interface ConnectOptions extends Partial<StreamSettings>, Partial<PublisherSettings> {
  /** `nats://` or `tls://`, with user and password if required; several servers are separated by commas. */
  readonly url: string;
  /** The first part of all subjects and stream names, so that several installations or tests can share a server. */
  readonly prefix: string;
  /** The source of the time of dead letters. Deadlines use the machine's monotonic clock. */
  readonly clock?: Clock;
  /** Time limit of the first connection. A lost connection is retried without a limit. */
  readonly connectMs?: number;
}

interface ServiceSettings {
  readonly natsUrl: string;
  readonly streamPrefix: string;
  readonly streamCount: number;
  readonly streamReplicas: number;
  readonly streamMaxMegabytes: number;
  readonly deadLetterMaxMegabytes: number;
  readonly deadLetterDays: number;
  readonly webhookMaxMegabytes: number;
  readonly unverifiedWebhookMaxMegabytes: number;
}

/** The connection options from the service's settings. */
export const streamOptions = (settings: ServiceSettings): ConnectOptions => ({
  url: settings.natsUrl,
  prefix: settings.streamPrefix,
  count: settings.streamCount,
  replicas: settings.streamReplicas,
  maxBytes: settings.streamMaxMegabytes * 1_048_576,
  deadLetterMaxBytes: settings.deadLetterMaxMegabytes * 1_048_576,
  deadLetterRetentionMs: settings.deadLetterDays * 24 * 60 * 60_000,
  workMaxBytes: {
    webhooks: settings.webhookMaxMegabytes * 1_048_576,
    'unverified-webhooks': settings.unverifiedWebhookMaxMegabytes * 1_048_576,
  },
});

export async function connectStream(options: ConnectOptions): Promise<Stream> {
  if (!/^[A-Za-z0-9_]{1,60}$/.test(options.prefix)) {
    throw new TypeError(`The stream prefix "${options.prefix}" may hold up to 60 letters, digits and underscores.`);
  }
  return new Stream(await Link.open(options.url, options.connectMs ?? 10_000), options);
}

/** The visit stream, which may consist of several NATS streams, and the work streams. */
export class Stream {
  readonly deadLetters: DeadLetters;
  /** Provider webhooks with a valid signature. */
  readonly webhooks: WorkStream;
  /** Webhooks whose signature could not be verified when they arrived. */
  readonly unverifiedWebhooks: WorkStream;
  readonly #link: Link;
  readonly #settings: StreamSettings;
  readonly #streams: StreamDeclarations;
  readonly #work: WorkStreamDeclarations;
  readonly #publisher: Publisher;
  readonly #consumers = new Set<StreamConsumer>();

  constructor(link: Link, options: ConnectOptions) {
    this.#link = link;
    this.#settings = { ...defaultStreamSettings, ...options };
    this.#streams = declareStreams(options.prefix, this.#settings);
    this.#publisher = new Publisher(link, { ...defaultPublisherSettings, ...options });
    this.#work = declareWorkStreams(options.prefix, this.#settings);
    this.deadLetters = new DeadLetters(link, this.#publisher, this.#streams, this.#work, options.clock ?? systemClock);
    const maxBytes = this.#settings.maxWorkMessageBytes;
    const open = (declaration: StreamDeclaration) =>
      new WorkStream(link, this.#publisher, this.deadLetters, declaration, maxBytes);
    this.webhooks = open(this.#work.webhooks);
    this.unverifiedWebhooks = open(this.#work['unverified-webhooks']);
  }

  /** Creates or updates the streams, after checking that the server can provide the required guarantees. */
  ensureStreams(): Promise<void> {
    return ensureStreams(this.#link, this.#streams, this.#settings);
  }

  /** The same for the work streams, which not every process uses. */
  ensureWorkStreams(): Promise<void> {
    return ensureWorkStreams(this.#link, this.#work, this.#settings);
  }

  /** Resolves when every message is on disk. Throws PublishFailed, or MessageRefused before any message is sent. */
  async publish(messages: readonly OutgoingMessage[], options?: PublishOptions): Promise<Receipt[]> {
    return this.#publisher.publish(addressVisits(messages, this.#streams.visits, this.#settings), options);
  }

  /** The number of streams that the visits are distributed over. */
  get count(): number {
    return this.#streams.visits.length;
  }

  /** The index of the stream that holds a profile's visits. */
  placeOf(profileId: string): number {
    return partitionOf(profileId, this.count);
  }

  /** Messages sent but not acknowledged, and messages that wait for a slot. */
  get load(): { readonly inFlight: number; readonly waiting: number } {
    return this.#publisher.load;
  }

  /** Whether the server recently reported that it could not store a message, and has stored none since. Its disk may be full. */
  get isRefusing(): boolean {
    return this.#publisher.isRefused;
  }

  /** False while the client reconnects. */
  get isUp(): boolean {
    return this.#link.isUp;
  }

  /** Starts to read visits. `stop()` of the result ends it gracefully. */
  async consume(options: ConsumeOptions): Promise<{ stop(): Promise<void> }> {
    const consumers = await this.#forEachStream(({ name }) =>
      StreamConsumer.start(this.#link, name, this.deadLetters, options),
    );
    for (const consumer of consumers) this.#consumers.add(consumer);
    return {
      stop: async () => {
        for (const consumer of consumers) this.#consumers.delete(consumer);
        await Promise.all(consumers.map((consumer) => consumer.stop()));
      },
    };
  }

  /** The current end of the visit stream. */
  async end(): Promise<StreamPosition> {
    return toPosition(await this.#forEachStream(({ name }) => lastSequence(this.#link, name)));
  }

  /** The consumer handled every visit up to this position, or it became a dead letter. */
  async consumedThrough(consumer: string): Promise<StreamPosition> {
    return toPosition(await this.#forEachStream(({ name }) => consumedThrough(this.#link, name, consumer)));
  }

  /** The number of messages that the consumer has not handled. */
  async waiting(consumer: string): Promise<number> {
    const through = sequencesOf(await this.consumedThrough(consumer));
    const ends = sequencesOf(await this.end());
    return ends.reduce((sum, end, at) => sum + end - (through[at] ?? 0), 0);
  }

  /** When the oldest visit arrived that the consumer has not handled; undefined if there is none. */
  async waitingSince(consumer: string): Promise<Date | undefined> {
    const since = await this.#forEachStream((visits) => waitingSince(this.#link, visits, consumer));
    return since.reduce((one, other) => (!one || (other && other < one) ? other : one));
  }

  /** How many visits the stream holds, and how many were deleted from it. */
  async extent(): Promise<Extent> {
    const extents = await this.#forEachStream(({ name }) => extentOf(this.#link, name));
    return extents.reduce((one, other) => ({ held: one.held + other.held, gone: one.gone + other.gone }));
  }

  /** Deletes the consumer, so that the next one of this name reads again everything that the stream still holds. */
  async rewind(consumer: string): Promise<void> {
    await this.#forEachStream(({ name }) => forgetDurable(this.#link, name, consumer));
  }

  /** How many servers hold the visits. With several streams, the result is for the one with the fewest copies. */
  async copies(): Promise<Copies> {
    const copies = await this.#forEachStream(({ name }) => copiesOf(this.#link, name));
    return copies.reduce((one, other) => (other.current < one.current ? other : one));
  }

  /** The visits after a position, up to the current end, for a backup. */
  async *readVisits(after?: StreamPosition): AsyncIterable<CopiedMessage> {
    const begin = sequencesOf(after ?? '0');
    const ends = sequencesOf(await this.end());
    for (const [index, visits] of this.#streams.visits.entries()) {
      const range = { after: begin[index] ?? 0, through: ends[index] ?? 0 };
      yield* readMessages(this.#link, 'visits', index, visits, range);
    }
  }

  /** All dead letters, for a backup. */
  async *readDeadLetters(): AsyncIterable<CopiedMessage> {
    const { 'dead-letters': deadLetters } = this.#streams;
    const through = await lastSequence(this.#link, deadLetters.name);
    yield* readMessages(this.#link, 'dead-letters', 0, deadLetters, { after: 0, through });
  }

  /** All unhandled messages of the work streams, for a backup. The streams must exist. */
  async *readWork(): AsyncIterable<CopiedMessage> {
    for (const name of workStreamNames) {
      const work = this.#work[name];
      const through = await lastSequence(this.#link, work.name);
      yield* readMessages(this.#link, name, 0, work, { after: 0, through });
    }
  }

  /** Publishes messages from a backup again. */
  putBack(messages: readonly CopiedMessage[]): Promise<void> {
    return restore(this.#publisher, { ...this.#streams, ...this.#work }, messages);
  }

  /** The total size of the streams, and the fill level of the fullest one. A full stream refuses visits. */
  async fill(stream: 'visits' | 'dead-letters' = 'visits'): Promise<Fill> {
    if (stream === 'dead-letters') return fillOf(this.#link, this.#streams['dead-letters'].name);
    const fills = await this.#forEachStream(({ name }) => fillOf(this.#link, name));
    return fills.reduce((one, other) => ({
      bytes: one.bytes + other.bytes,
      share: Math.max(one.share, other.share),
    }));
  }

  /** Deletes visits that every consumer has handled, in streams that are full enough. Resolves to the number of deleted messages. */
  async trim(settings: Partial<TrimSettings> = {}): Promise<number> {
    const all = { ...defaultTrimSettings, ...settings };
    const deleted = await this.#forEachStream(({ name }) => trimHandled(this.#link, name, all));
    return deleted.reduce((sum, one) => sum + one);
  }

  /** Stops the consumers, waits for pending publishes, and closes the connection. */
  async close(): Promise<void> {
    await Promise.all([...this.#consumers, this.webhooks, this.unverifiedWebhooks].map((one) => one.stop()));
    await this.#publisher.idle();
    await this.#link.close();
  }

  #forEachStream<T>(query: (visits: StreamDeclaration) => Promise<T>): Promise<T[]> {
    return Promise.all(this.#streams.visits.map(query));
  }
}
