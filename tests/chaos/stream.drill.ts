import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Supervisor } from '@tributary/engines';
import { connectStream, PublishFailed, type Stream } from '@tributary/stream';
import type { Drill } from '@tributary/testkit';

/** `window` is the most that the sender may be ahead of the reader, so that messages are in flight until the last kill. */
const sizes = {
  small: { messages: 5_000, kills: 2, window: 800 },
  full: { messages: 200_000, kills: 20, window: 2_000 },
} as const;
const prefix = 'drill';
const consumerName = 'drill';
const lanes = 8;
const batchSize = 32;
/** About the size of one visit. */
const payloadBytes = 400;
const drainMs = 120_000;

/**
 * Publishers send without pause and a reader process logs the messages that it handles. NATS and the reader are killed alternately with SIGKILL,
 * each time with messages in flight in the killed process.
 */
export const drill: Drill = {
  name: 'stream',
  promise: 'A message that the stream acknowledged is handled at least once, whichever process is killed and whenever.',

  async run({ size, progress }) {
    const { messages, kills, window } = sizes[size];
    const startedAt = performance.now();
    const engines = new Supervisor('drill-stream');
    // An interrupted run may have left its log behind.
    await engines.destroy();
    const directory = mkdtempSync(join(tmpdir(), 'drill-stream-'));
    const cleanup: (() => unknown)[] = [() => rmSync(directory, { recursive: true }), () => engines.destroy()];
    try {
      const { NATS_URL: url = '' } = await engines.start(['nats']);
      const stream = await connectStream({ url, prefix });
      cleanup.push(() => stream.close());
      await stream.ensureStreams();

      const journal = new Journal(directory, messages);
      cleanup.push(() => journal.close());
      const reader = new Reader(url, journal);
      cleanup.push(() => reader.kill());
      const sender = new Sender(stream, messages, () => journal.distinct + window);
      cleanup.push(() => sender.stop());
      const killer = new Killer({ engines, stream, reader, journal, messages, kills });

      const ticker = setInterval(() => progress(journal.distinct, messages, killer.note), 500);
      cleanup.push(() => clearInterval(ticker));
      await Promise.all([sender.run(), killer.run()]);
      await untilDrained(stream);
      await reader.stop();

      journal.read();
      progress(journal.distinct, messages, killer.note);
      const lost = sender.acknowledged.filter((id) => !journal.has(id)).length;
      const deadLetters = await stream.deadLetters.count();
      return {
        passed:
          lost === 0 &&
          deadLetters === 0 &&
          sender.acknowledged.length === messages &&
          killer.natsKills === kills &&
          killer.readerKills === kills &&
          killer.leastInFlight > 0,
        sent: messages,
        acknowledged: sender.acknowledged.length,
        handled_distinct: journal.distinct,
        handled_total: journal.total,
        lost,
        nats_kills: killer.natsKills,
        consumer_kills: killer.readerKills,
        in_flight_at_kill_min: killer.leastInFlight,
        dead_letters: deadLetters,
        seconds: Math.round((performance.now() - startedAt) / 100) / 10,
      };
    } finally {
      for (const step of cleanup.reverse()) await step();
    }
  },
};

/** Resolves when no messages wait for the reader. Messages that it has not handled by then are lost. */
async function untilDrained(stream: Stream): Promise<void> {
  const deadline = performance.now() + drainMs;
  while ((await stream.waiting(consumerName)) > 0) {
    if (performance.now() > deadline) throw new Error(`The reader is not through within ${drainMs} ms.`);
    await sleep(50);
  }
}

/** Sends every message until it is acknowledged. */
class Sender {
  readonly acknowledged: number[] = [];
  readonly #stream: Stream;
  readonly #messages: number;
  readonly #allowed: () => number;
  #next = 0;
  #stopped = false;

  constructor(stream: Stream, messages: number, allowed: () => number) {
    this.#stream = stream;
    this.#messages = messages;
    this.#allowed = allowed;
  }

  async run(): Promise<void> {
    await Promise.all(Array.from({ length: lanes }, () => this.#lane()));
  }

  stop(): void {
    this.#stopped = true;
  }

  async #lane(): Promise<void> {
    while (!this.#stopped && this.#next < this.#messages) {
      if (this.#next > this.#allowed()) {
        await sleep(2);
        continue;
      }
      const first = this.#next;
      this.#next = Math.min(first + batchSize, this.#messages);
      let open = Array.from({ length: this.#next - first }, (_, index) => String(first + index));
      while (!this.#stopped && open.length > 0) open = await this.#send(open);
    }
  }

  /** Resolves to the ids that have no acknowledgement yet. */
  async #send(ids: readonly string[]): Promise<string[]> {
    const batch = ids.map((id) => ({ id, key: id, payload: Buffer.from(id.padEnd(payloadBytes, '.')) }));
    try {
      const receipts = await this.#stream.publish(batch);
      this.acknowledged.push(...receipts.map((receipt) => Number(receipt.id)));
      return [];
    } catch (error) {
      if (!(error instanceof PublishFailed)) throw error;
      this.acknowledged.push(...error.acknowledged.map((receipt) => Number(receipt.id)));
      return [...error.unacknowledged];
    }
  }
}

/** The messages that all reader processes logged. */
class Journal {
  distinct = 0;
  total = 0;
  readonly #directory: string;
  readonly #times: Uint16Array;
  readonly #files: { path: string; offset: number }[] = [];
  readonly #buffer = Buffer.alloc(1 << 16);
  readonly #timer = setInterval(() => this.read(), 5);

  constructor(directory: string, messages: number) {
    this.#directory = directory;
    this.#times = new Uint16Array(messages);
  }

  /** Creates the log file of a new reader process. */
  open(): string {
    const path = join(this.#directory, `handled-${this.#files.length}.log`);
    this.#files.push({ path, offset: 0 });
    return path;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  has(id: number): boolean {
    return (this.#times[id] ?? 0) > 0;
  }

  /** Reads complete lines only: the message of a cut-off line was not handled completely. */
  read(): void {
    for (const file of this.#files) {
      if (!existsSync(file.path)) continue;
      const descriptor = openSync(file.path, 'r');
      while (true) {
        const bytes = readSync(descriptor, this.#buffer, 0, this.#buffer.length, file.offset);
        const end = this.#buffer.subarray(0, bytes).lastIndexOf(0x0a) + 1;
        if (end === 0) break;
        for (const line of this.#buffer.toString('ascii', 0, end - 1).split('\n')) this.#count(Number(line));
        file.offset += end;
      }
      closeSync(descriptor);
    }
  }

  #count(id: number): void {
    const times = this.#times[id];
    if (times === undefined) throw new Error(`The reader handled a message nobody sent: ${id}.`);
    this.#times[id] = times + 1;
    this.total += 1;
    if (times === 0) this.distinct += 1;
  }
}

/** The reader process and its successors. */
class Reader {
  readonly #url: string;
  readonly #journal: Journal;
  #child: ChildProcess;
  #inProgress = 0;

  constructor(url: string, journal: Journal) {
    this.#url = url;
    this.#journal = journal;
    this.#child = this.#spawn();
  }

  /** The number of messages that it is handling and has not logged. */
  get inProgress(): number {
    return this.#inProgress;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  async replace(): Promise<void> {
    await this.#exited();
    this.#child = this.#spawn();
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    await this.#exited();
  }

  async #exited(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'exit');
  }

  #spawn(): ChildProcess {
    const program = join(import.meta.dirname, 'stream-consumer.ts');
    this.#inProgress = 0;
    const child = fork(program, [this.#url, prefix, consumerName, this.#journal.open()]);
    child.on('message', (inProgress: number) => {
      if (child === this.#child) this.#inProgress = inProgress;
    });
    return child;
  }
}

interface Scene {
  readonly engines: Supervisor;
  readonly stream: Stream;
  readonly reader: Reader;
  readonly journal: Journal;
  readonly messages: number;
  readonly kills: number;
}

/** Kills NATS and the reader alternately, spread over the run. */
class Killer {
  natsKills = 0;
  readerKills = 0;
  leastInFlight = Number.POSITIVE_INFINITY;
  readonly #scene: Scene;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  get note(): string {
    return `killed NATS ${this.natsKills}, the reader ${this.readerKills} times`;
  }

  async run(): Promise<void> {
    const { journal, messages, kills } = this.#scene;
    for (let kill = 1; kill <= 2 * kills; kill += 1) {
      // Only the reader increases this number, so it has handled messages between any two kills.
      while (journal.distinct < (messages * kill) / (2 * kills + 1)) await sleep(1);
      await (kill % 2 === 1 ? this.#killNats() : this.#killReader());
    }
  }

  async #killNats(): Promise<void> {
    const { engines, stream } = this.#scene;
    await this.#killInFlight(
      () => (stream.isUp ? stream.load.inFlight : 0),
      () => engines.kill('nats'),
    );
    this.natsKills += 1;
    await engines.start(['nats']);
  }

  async #killReader(): Promise<void> {
    const { reader } = this.#scene;
    await this.#killInFlight(
      () => reader.inProgress,
      () => reader.kill(),
    );
    this.readerKills += 1;
    await reader.replace();
  }

  /** Kills as soon as messages are in flight. No other code runs between the last check and the kill. */
  async #killInFlight(inFlight: () => number, kill: () => unknown): Promise<void> {
    while (inFlight() <= 0) await sleep(1);
    this.leastInFlight = Math.min(this.leastInFlight, inFlight());
    await kill();
  }
}
