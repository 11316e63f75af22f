import { Worker } from 'node:worker_threads';
import { limits } from '@tributary/vocabulary';
import type { BodyAnswer, BodyQuestion } from './body-worker.ts';
import { type BodyText, type BodyValue, readBodyText } from './read-body-text.ts';
import { Refusal } from './refusal.ts';
import { threadMs } from './thread-time.ts';

interface Reading {
  readonly text: BodyText;
  readonly settled: PromiseWithResolvers<BodyValue>;
  /** Told how long the reading took. */
  readonly onTime: (ms: number) => void;
  readonly items: unknown[];
  body?: BodyValue;
}

/**
 * Reads large bodies on a thread of their own, because one of 4 MB would keep every other request waiting. What was read comes back in
 * parts, between which other requests have their turn. Bodies are read one after the other, or several at once would fill the memory.
 */
export class BodyThread {
  #worker: Worker | undefined;
  /** The first is under way. */
  #queue: Reading[] = [];

  read(text: BodyText, onTime: (ms: number) => void): Promise<BodyValue> {
    const reading: Reading = { text, settled: Promise.withResolvers(), onTime, items: [] };
    this.#queue.push(reading);
    if (this.#queue.length === 1) this.#ask({ text });
    return reading.settled.promise;
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#fail();
    await worker?.terminate();
  }

  #ask(question: BodyQuestion): void {
    this.#worker ??= this.#open();
    this.#worker.postMessage(question);
  }

  #open(): Worker {
    const worker = new Worker(new URL('./body-worker.ts', import.meta.url));
    worker.unref();
    // A thread that ended answers nothing more: the next body starts another.
    const ifNewest = (work: () => void) => () => worker === this.#worker && work();
    worker.on('message', (answer: BodyAnswer) => ifNewest(() => this.#take(answer))());
    worker.on(
      'error',
      ifNewest(() => this.#fail()),
    );
    worker.on(
      'exit',
      ifNewest(() => this.#fail()),
    );
    return worker;
  }

  #take({ ms, body, refusal, items, isLast }: BodyAnswer): void {
    const [reading] = this.#queue;
    if (!reading) return;
    if (ms !== undefined) reading.onTime(ms);
    if (body) reading.body = body;
    for (const item of items ?? []) reading.items.push(item);
    if (!isLast) {
      setImmediate(() => reading === this.#queue[0] && this.#ask({}));
      return;
    }
    this.#queue.shift();
    const { settled, text } = reading;
    if (refusal) settled.reject(new Refusal(refusal.code, refusal.message, { fields: refusal.fields }));
    else if (reading.body) settled.resolve(withItems(reading.body, text.list, reading.items));
    const [next] = this.#queue;
    if (next) this.#ask({ text: next.text });
  }

  #fail(): void {
    this.#worker = undefined;
    const readings = this.#queue;
    this.#queue = [];
    for (const { settled } of readings)
      settled.reject(
        new Refusal('service_unavailable', 'The body could not be read. Send it again in a moment.', {
          headers: { 'retry-after': '2' },
        }),
      );
  }
}

const withItems = (body: BodyValue, list: string | undefined, items: readonly unknown[]): BodyValue =>
  items.length > 0 ? { ...body, value: { ...(body.value as object), [list ?? '']: items } } : body;

/** Reads a body where it is read best. Without a thread, here. */
export async function readBody(
  text: BodyText,
  thread: BodyThread | undefined,
  onTime: (ms: number) => void,
): Promise<BodyValue> {
  if (thread && text.bytes.length > limits.bodyBytes) return thread.read(text, onTime);
  const startedAt = threadMs();
  try {
    return readBodyText(text);
  } finally {
    onTime(threadMs() - startedAt);
  }
}
