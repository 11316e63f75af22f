import { type Clock, systemClock } from '@tributary/clock';
import { addressVisits, type OutgoingMessage } from './address.ts';
import { type ConsumeOptions, StreamConsumer } from './consumer.ts';
import { type CopiedMessage, putBack, readMessages } from './copy.ts';
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
  type LogPosition,
  lastSequence,
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
  readonly streamCount: number;
  readonly streamReplicas: number;
  readonly streamMaxMegabytes: number;
  readonly deadLetterMaxMegabytes: number;
  readonly deadLetterDays: number;
  readonly webhookMaxMegabytes: number;
  readonly unverifiedWebhookMaxMegabytes: number;
}

/** The log as the settings of the service want it. */
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

/** The visit stream and the work streams. */
export class Stream {
  readonly deadLetters: DeadLetters;
  /** Provider webhooks with a verified signature. */
  readonly webhooks: WorkStream;
  /** Provider webhooks that could not be verified on arrival. */
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

  /** Creates or updates the streams, after a look whether the server can keep our promises. */
  ensureStreams(): Promise<void> {
    return ensureStreams(this.#link, this.#streams, this.#settings);
  }

  /** The same for the work streams, which only some processes use. */
  ensureWorkStreams(): Promise<void> {
    return ensureWorkStreams(this.#link, this.#work, this.#settings);
  }

  /** Resolves when every message is on the log's disk. Throws PublishFailed, or MessageRefused before anything is sent. */
  async publish(messages: readonly OutgoingMessage[], options?: PublishOptions): Promise<Receipt[]> {
    return this.#publisher.publish(addressVisits(messages, this.#streams.visits, this.#settings), options);
  }

  /** How many streams the visits are spread over, */
  get count(): number {
    return this.#streams.visits.length;
  }

  /** and in which of them a profile's are. */
  placeOf(profileId: string): number {
    return partitionOf(profileId, this.count);
  }

  /** Messages sent and not yet acknowledged, and messages that wait for their turn. */
  get load(): { readonly inFlight: number; readonly waiting: number } {
    return this.#publisher.load;
  }

  /** Whether the last publish failed recently. The disk of NATS may be full. */
  get isRefusing(): boolean {
    return this.#publisher.isRefused;
  }

  /** False while the connection is being sought. */
  get isUp(): boolean {
    return this.#link.isUp;
  }

  /** Starts to read visits; `stop()` of the result ends it in good order. */
  async consume(options: ConsumeOptions): Promise<{ stop(): Promise<void> }> {
    const consumers = await this.#ofEach(({ name }) =>
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

  /** Where the log ends now. */
  async end(): Promise<LogPosition> {
    return toPosition(await this.#ofEach(({ name }) => lastSequence(this.#link, name)));
  }

  /** Every visit up to this place was handled by the consumer or became a dead letter. */
  async consumedThrough(consumer: string): Promise<LogPosition> {
    return toPosition(await this.#ofEach(({ name }) => consumedThrough(this.#link, name, consumer)));
  }

  /** How many messages the consumer has not handled. */
  async waiting(consumer: string): Promise<number> {
    const through = sequencesOf(await this.consumedThrough(consumer));
    const ends = sequencesOf(await this.end());
    return ends.reduce((sum, end, at) => sum + end - (through[at] ?? 0), 0);
  }

  /** When the oldest visit came that the consumer has not handled; undefined where none waits. */
  async waitingSince(consumer: string): Promise<Date | undefined> {
    const since = await this.#ofEach((visits) => waitingSince(this.#link, visits, consumer));
    return since.reduce((one, other) => (!one || (other && other < one) ? other : one));
  }

  /** What the log holds of all that it ever took. */
  async extent(): Promise<Extent> {
    const extents = await this.#ofEach(({ name }) => extentOf(this.#link, name));
    return extents.reduce((one, other) => ({ held: one.held + other.held, gone: one.gone + other.gone }));
  }

  /** Has the consumer read everything again that the log still holds: its place is forgotten, and whoever reads next makes it anew. */
  async rewind(consumer: string): Promise<void> {
    await this.#ofEach(({ name }) => forgetDurable(this.#link, name, consumer));
  }

  /** On how many servers the visits are: of several streams, the one with the fewest copies. */
  async copies(): Promise<Copies> {
    const copies = await this.#ofEach(({ name }) => copiesOf(this.#link, name));
    return copies.reduce((one, other) => (other.current < one.current ? other : one));
  }

  /** What the visits hold after a place, for a backup: up to their end as it is now. */
  async *readVisits(after?: LogPosition): AsyncIterable<CopiedMessage> {
    const begin = sequencesOf(after ?? '0');
    const ends = sequencesOf(await this.end());
    for (const [place, visits] of this.#streams.visits.entries()) {
      const range = { after: begin[place] ?? 0, through: ends[place] ?? 0 };
      yield* readMessages(this.#link, 'visits', place, visits, range);
    }
  }

  /** All dead letters, for the same. */
  async *readDeadLetters(): AsyncIterable<CopiedMessage> {
    const { 'dead-letters': deadLetters } = this.#streams;
    const through = await lastSequence(this.#link, deadLetters.name);
    yield* readMessages(this.#link, 'dead-letters', 0, deadLetters, { after: 0, through });
  }

  /** Unprocessed messages of the work streams, for a backup. The streams must exist. */
  async *readWork(): AsyncIterable<CopiedMessage> {
    for (const name of workStreamNames) {
      const work = this.#work[name];
      const through = await lastSequence(this.#link, work.name);
      yield* readMessages(this.#link, name, 0, work, { after: 0, through });
    }
  }

  /** Puts messages back that were read. */
  putBack(messages: readonly CopiedMessage[]): Promise<void> {
    return putBack(this.#publisher, { ...this.#streams, ...this.#work }, messages);
  }

  /** How much is in the log, and how full the fullest of its streams is. A full one refuses visits. */
  async fill(stream: 'visits' | 'dead-letters' = 'visits'): Promise<Fill> {
    if (stream === 'dead-letters') return fillOf(this.#link, this.#streams['dead-letters'].name);
    const fills = await this.#ofEach(({ name }) => fillOf(this.#link, name));
    return fills.reduce((one, other) => ({
      bytes: one.bytes + other.bytes,
      share: Math.max(one.share, other.share),
    }));
  }

  /** Frees visits that every consumer has handled, where a stream is full enough. Resolves to how many messages went. */
  async trim(settings: Partial<TrimSettings> = {}): Promise<number> {
    const all = { ...defaultTrimSettings, ...settings };
    const gone = await this.#ofEach(({ name }) => trimHandled(this.#link, name, all));
    return gone.reduce((sum, one) => sum + one);
  }

  /** Stops the consumers, waits for what is being published, and hangs up. */
  async close(): Promise<void> {
    await Promise.all([...this.#consumers, this.webhooks, this.unverifiedWebhooks].map((one) => one.stop()));
    await this.#publisher.idle();
    await this.#link.close();
  }

  #ofEach<T>(ask: (visits: StreamDeclaration) => Promise<T>): Promise<T[]> {
    return Promise.all(this.#streams.visits.map(ask));
  }
}
