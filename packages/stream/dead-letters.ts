import type { StoredMsg } from '@nats-io/jetstream';
import type { Clock } from '@tributary/clock';
import { DeadLetterMissing } from './errors.ts';
import { callerHeaders, type Headers, header, messageIdOf, replaysOf } from './headers.ts';
import type { Link } from './link.ts';
import type { Publisher } from './publisher.ts';
import {
  type StreamDeclarations,
  type WorkStreamDeclarations,
  type WorkStreamName,
  workStreamNames,
} from './streams.ts';

/**
 * `rejected`: the message will never work as things are. `failed`: it was given up after many tries, and whatever stood in its way may be
 * gone by now. `deadly`: no worker got through with it.
 */
export type DeathCause = 'rejected' | 'failed' | 'deadly';

export interface DeadLetter {
  /** Its place among the dead letters. */
  readonly sequence: number;
  readonly reason: string;
  readonly cause: DeathCause;
  /** How often it was replayed before. */
  readonly replays: number;
  readonly diedAt: Date;
  /** How often the message was delivered before it was given up. */
  readonly deliveries: number;
  /** Where the message stood before. */
  readonly subject: string;
  readonly originalSequence: number;
  readonly id: string;
  readonly payload: Uint8Array;
  readonly headers: Headers;
}

export interface DeadLetterPage {
  readonly letters: readonly DeadLetter[];
  /** Give it as `after` to get the next page; undefined on the last one. */
  readonly next: number | undefined;
}

/** A message as it leaves the consumer. */
export interface Casualty {
  readonly id: string;
  readonly stream: string;
  readonly subject: string;
  readonly sequence: number;
  readonly deliveries: number;
  readonly storedAtNanos: bigint;
  readonly payload: Uint8Array;
  readonly headers: Headers;
  readonly replays: number;
}

const longestReason = 1_000;

const minuteMs = 60_000;
/** How long after its death a message that failed is tried again by itself, by how often it was. After the last it waits for somebody. */
const waitsMs = [10, 60, 6 * 60, 24 * 60, 3 * 24 * 60].map((minutes) => minutes * minuteMs);

/** JetStream has no dead-letter queue; this stream is ours. A letter leaves it only by replay or by somebody's hand. */
export class DeadLetters {
  readonly #link: Link;
  readonly #publisher: Publisher;
  readonly #streams: StreamDeclarations;
  readonly #work: WorkStreamDeclarations;
  readonly #clock: Clock;

  constructor(
    link: Link,
    publisher: Publisher,
    streams: StreamDeclarations,
    work: WorkStreamDeclarations,
    clock: Clock,
  ) {
    this.#link = link;
    this.#publisher = publisher;
    this.#streams = streams;
    this.#work = work;
    this.#clock = clock;
  }

  /** Resolves when the letter is on disk; only then may the message leave its consumer. */
  async add(message: Casualty, reason: string, cause: DeathCause, more: Headers = {}): Promise<void> {
    const { name, subject } = this.#letters;
    await this.#publisher.publish([
      {
        stream: name,
        subject,
        // The same casualty delivered twice is one letter. The time tells it from its namesake of a recreated stream.
        id: `${message.stream}:${message.sequence}:${message.storedAtNanos}`,
        payload: message.payload,
        headers: {
          ...message.headers,
          ...more,
          [header.messageId]: message.id,
          [header.reason]: oneLine(reason),
          [header.subject]: message.subject,
          [header.sequence]: String(message.sequence),
          [header.deliveries]: String(message.deliveries),
          [header.diedAt]: this.#clock.now().toISOString(),
          [header.cause]: cause,
          [header.replays]: String(message.replays),
        },
      },
    ]);
  }

  async count(): Promise<number> {
    return (await this.#link.manager.streams.info(this.#letters.name)).state.messages;
  }

  /** In the order of their deaths. */
  async list({ after = 0, limit = 100 }: { after?: number; limit?: number } = {}): Promise<DeadLetterPage> {
    const letters: DeadLetter[] = [];
    let from = after + 1;
    // One more than asked for says whether there is a next page.
    while (letters.length <= limit) {
      const found = await this.#firstFrom(from);
      if (!found) return { letters, next: undefined };
      letters.push(found);
      from = found.sequence + 1;
    }
    const page = letters.slice(0, limit);
    return { letters: page, next: page.at(-1)?.sequence };
  }

  async get(sequence: number): Promise<DeadLetter> {
    const stored = await this.#link.manager.streams.getMessage(this.#letters.name, { seq: sequence });
    if (!stored) throw new DeadLetterMissing(sequence);
    return toDeadLetter(stored);
  }

  /** The work stream that the message came from; undefined for visits. */
  workStreamOf({ subject }: Pick<DeadLetter, 'subject'>): WorkStreamName | undefined {
    return workStreamNames.find((name) => this.#work[name].subject === subject);
  }

  /** Puts the message back into its stream, then deletes the letter. Resolves to its new sequence there. */
  async replay(sequence: number): Promise<number> {
    const letter = await this.get(sequence);
    const [receipt] = await this.#publisher.publish([
      {
        ...this.#homeOf(letter),
        // Under its old id the server would take a young message for a repeat and drop it. This one is the same when a
        // replay that was cut short is done again.
        id: `replay:${this.#letters.name}:${sequence}:${letter.diedAt.getTime()}`,
        payload: letter.payload,
        headers: { ...letter.headers, [header.messageId]: letter.id, [header.replays]: String(letter.replays + 1) },
      },
    ]);
    await this.remove(sequence);
    return receipt?.sequence ?? 0;
  }

  /** Replays what is there now. Letters of messages that die again on the way are left for another day, so this ends. */
  replayAll(progress: (replayed: number) => void = () => {}): Promise<number> {
    return this.#replayThose(() => true, progress);
  }

  /** Replays messages that failed and whose time for another try has come: what stood in their way may be gone. */
  replayDue(signal?: AbortSignal): Promise<number> {
    const now = this.#clock.now().getTime();
    return this.#replayThose(({ cause, replays, diedAt }) => {
      signal?.throwIfAborted();
      const waitMs = waitsMs[replays];
      return cause === 'failed' && waitMs !== undefined && diedAt.getTime() + waitMs <= now;
    });
  }

  async #replayThose(
    isWanted: (letter: DeadLetter) => boolean,
    progress: (replayed: number) => void = () => {},
  ): Promise<number> {
    const { last_seq: end } = (await this.#link.manager.streams.info(this.#letters.name)).state;
    let replayed = 0;
    for (let from = 1; ; ) {
      const letter = await this.#firstFrom(from);
      if (!letter || letter.sequence > end) return replayed;
      from = letter.sequence + 1;
      if (!isWanted(letter)) continue;
      await this.replay(letter.sequence);
      replayed += 1;
      progress(replayed);
    }
  }

  /** Puts another payload into a letter, which moves to the end; the one before is deleted for good. */
  async replace(sequence: number, payload: Uint8Array): Promise<void> {
    const { name, subject } = this.#letters;
    const letter = await this.get(sequence);
    const { id, headers, diedAt } = letter;
    await this.#publisher.publish([
      {
        stream: name,
        subject,
        // The same when a replacement that was cut short is done again.
        id: `replaced:${name}:${sequence}:${diedAt.getTime()}`,
        payload,
        headers: {
          ...headers,
          [header.messageId]: id,
          [header.reason]: letter.reason,
          [header.subject]: letter.subject,
          [header.sequence]: String(letter.originalSequence),
          [header.deliveries]: String(letter.deliveries),
          [header.diedAt]: diedAt.toISOString(),
          [header.cause]: letter.cause,
          [header.replays]: String(letter.replays),
        },
      },
    ]);
    await this.remove(sequence);
  }

  /** Deletes a letter for good, its bytes overwritten: the last resort, and what an erasure needs. */
  async remove(sequence: number): Promise<void> {
    await this.#link.manager.streams.deleteMessage(this.#letters.name, sequence);
  }

  async #firstFrom(sequence: number): Promise<DeadLetter | undefined> {
    const { name, subject } = this.#letters;
    const stored = await this.#link.manager.direct.getMessage(name, { seq: sequence, next_by_subj: subject });
    return stored ? toDeadLetter(stored) : undefined;
  }

  get #letters() {
    return this.#streams['dead-letters'];
  }

  /** Where the message stood; the first of the streams, when that one is no more. */
  #homeOf({ subject }: DeadLetter): { stream: string; subject: string } {
    const { visits } = this.#streams;
    const work = Object.values(this.#work).find((one) => one.subject === subject);
    if (work) return { stream: work.name, subject };
    const home = visits.find((one) => subject.startsWith(`${one.subject}.`));
    if (home) return { stream: home.name, subject };
    return { stream: visits[0].name, subject: `${visits[0].subject}${subject.slice(subject.lastIndexOf('.'))}` };
  }
}

function toDeadLetter(stored: StoredMsg): DeadLetter {
  const told = stored.header;
  return {
    sequence: stored.seq,
    reason: told.get(header.reason),
    // One that was written before causes were: somebody looks at it.
    cause: (told.get(header.cause) || 'rejected') as DeathCause,
    replays: replaysOf(told),
    diedAt: new Date(told.get(header.diedAt)),
    deliveries: Number(told.get(header.deliveries)),
    subject: told.get(header.subject),
    originalSequence: Number(told.get(header.sequence)),
    id: messageIdOf(told),
    payload: stored.data,
    headers: callerHeaders(told),
  };
}

/** A header is one line, and a stack trace or a whole HTML page is no reason. */
function oneLine(reason: string): string {
  const line = reason.replace(/\s+/g, ' ').trim();
  return line.length > longestReason ? `${line.slice(0, longestReason)}...` : line || 'no reason given';
}
