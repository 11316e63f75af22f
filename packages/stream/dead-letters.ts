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
 * `rejected`: the message can never be processed. `failed`: it was given up after many tries, and the cause may be gone by now. `deadly`:
 * its workers crashed.
 */
export type FailureCause = 'rejected' | 'failed' | 'deadly';

export interface DeadLetter {
  /** Its sequence in the dead letter stream. */
  readonly sequence: number;
  readonly reason: string;
  readonly cause: FailureCause;
  /** How often the message was replayed before. */
  readonly replays: number;
  readonly deadLetteredAt: Date;
  /** The number of deliveries before the message was given up. */
  readonly deliveries: number;
  /** The original subject of the message. */
  readonly subject: string;
  readonly originalSequence: number;
  readonly id: string;
  readonly payload: Uint8Array;
  readonly headers: Headers;
}

export interface DeadLetterPage {
  readonly letters: readonly DeadLetter[];
  /** The value of `after` for the next page; undefined on the last page. */
  readonly next: number | undefined;
}

/** A message that a consumer gives up. */
export interface FailedMessage {
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
/**
 * The delay before a failed message is replayed automatically, by its number of replays. After the last it stays until an operator handles
 * it.
 */
const replayDelaysMs = [10, 60, 6 * 60, 24 * 60, 3 * 24 * 60].map((minutes) => minutes * minuteMs);

/** JetStream has no dead letter queue, so this is a stream of its own. A letter leaves it only by a replay or a removal. */
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

  /** Resolves when the letter is on disk. Only then may the message be terminated. */
  async add(message: FailedMessage, reason: string, cause: FailureCause, more: Headers = {}): Promise<void> {
    const { name, subject } = this.#letters;
    await this.#publisher.publish([
      {
        stream: name,
        subject,
        // A message that fails twice at the same sequence makes one letter. The time distinguishes it from a message with the same sequence
        // in a recreated stream.
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

  /** In the order in which they were written. */
  async list({ after = 0, limit = 100 }: { after?: number; limit?: number } = {}): Promise<DeadLetterPage> {
    const letters: DeadLetter[] = [];
    let from = after + 1;
    // One more than requested shows whether there is a next page.
    while (letters.length <= limit) {
      const letter = await this.#firstFrom(from);
      if (!letter) return { letters, next: undefined };
      letters.push(letter);
      from = letter.sequence + 1;
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

  /** Publishes the message to its original stream again, then deletes the letter. Resolves to its new sequence. */
  async replay(sequence: number): Promise<number> {
    const letter = await this.get(sequence);
    const [receipt] = await this.#publisher.publish([
      {
        ...this.#getOrigin(letter),
        // With its old id the server would drop a recent message as a duplicate. This id is the same when an interrupted replay is
        // repeated.
        id: `replay:${this.#letters.name}:${sequence}:${letter.deadLetteredAt.getTime()}`,
        payload: letter.payload,
        headers: { ...letter.headers, [header.messageId]: letter.id, [header.replays]: String(letter.replays + 1) },
      },
    ]);
    await this.remove(sequence);
    return receipt?.sequence ?? 0;
  }

  /** Replays the letters that exist now. Messages that fail again meanwhile are not replayed again, so the loop ends. */
  replayAll(progress: (replayed: number) => void = () => {}): Promise<number> {
    return this.#replayMatching(() => true, progress);
  }

  /** Replays failed messages whose next attempt is due, because the cause may be gone. */
  replayDue(signal?: AbortSignal): Promise<number> {
    const now = this.#clock.now().getTime();
    return this.#replayMatching(({ cause, replays, deadLetteredAt }) => {
      signal?.throwIfAborted();
      const waitMs = replayDelaysMs[replays];
      return cause === 'failed' && waitMs !== undefined && deadLetteredAt.getTime() + waitMs <= now;
    });
  }

  async #replayMatching(
    matches: (letter: DeadLetter) => boolean,
    progress: (replayed: number) => void = () => {},
  ): Promise<number> {
    const { last_seq: end } = (await this.#link.manager.streams.info(this.#letters.name)).state;
    let replayed = 0;
    for (let from = 1; ; ) {
      const letter = await this.#firstFrom(from);
      if (!letter || letter.sequence > end) return replayed;
      from = letter.sequence + 1;
      if (!matches(letter)) continue;
      await this.replay(letter.sequence);
      replayed += 1;
      progress(replayed);
    }
  }

  /** Replaces the payload of a letter, which moves to the end of the stream. The old letter is deleted permanently. */
  async replace(sequence: number, payload: Uint8Array): Promise<void> {
    const { name, subject } = this.#letters;
    const letter = await this.get(sequence);
    const { id, headers, deadLetteredAt } = letter;
    await this.#publisher.publish([
      {
        stream: name,
        subject,
        // The same id when an interrupted replacement is repeated.
        id: `replaced:${name}:${sequence}:${deadLetteredAt.getTime()}`,
        payload,
        headers: {
          ...headers,
          [header.messageId]: id,
          [header.reason]: letter.reason,
          [header.subject]: letter.subject,
          [header.sequence]: String(letter.originalSequence),
          [header.deliveries]: String(letter.deliveries),
          [header.diedAt]: deadLetteredAt.toISOString(),
          [header.cause]: letter.cause,
          [header.replays]: String(letter.replays),
        },
      },
    ]);
    await this.remove(sequence);
  }

  /** Deletes a letter permanently and overwrites its bytes, for erasures and as a last resort. */
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

  /** The original stream and subject of the message, or the first visit stream if its stream no longer exists. */
  #getOrigin({ subject }: DeadLetter): { stream: string; subject: string } {
    const { visits } = this.#streams;
    const work = Object.values(this.#work).find((one) => one.subject === subject);
    if (work) return { stream: work.name, subject };
    const home = visits.find((one) => subject.startsWith(`${one.subject}.`));
    if (home) return { stream: home.name, subject };
    return { stream: visits[0].name, subject: `${visits[0].subject}${subject.slice(subject.lastIndexOf('.'))}` };
  }
}

function toDeadLetter(stored: StoredMsg): DeadLetter {
  const headers = stored.header;
  return {
    sequence: stored.seq,
    reason: headers.get(header.reason),
    // Letters from versions without causes are not replayed automatically.
    cause: (headers.get(header.cause) || 'rejected') as FailureCause,
    replays: replaysOf(headers),
    deadLetteredAt: new Date(headers.get(header.diedAt)),
    deliveries: Number(headers.get(header.deliveries)),
    subject: headers.get(header.subject),
    originalSequence: Number(headers.get(header.sequence)),
    id: messageIdOf(headers),
    payload: stored.data,
    headers: callerHeaders(headers),
  };
}

/** A header is one line, and a stack trace or an HTML page is too long for it. */
function oneLine(reason: string): string {
  const line = reason.replace(/\s+/g, ' ').trim();
  return line.length > longestReason ? `${line.slice(0, longestReason)}...` : line || 'no reason given';
}
