import { Worker } from 'node:worker_threads';
import { limits } from '@tributary/vocabulary';
import type { BodyRequest, BodyResponse } from './body-worker.ts';
import { type BodyText, type BodyValue, readBodyText } from './read-body-text.ts';
import { Refusal } from './refusal.ts';
import { threadMs } from './thread-time.ts';

interface Job {
  readonly text: BodyText;
  readonly settled: PromiseWithResolvers<BodyValue>;
  /** Receives the processor time of the parsing. */
  readonly onTime: (ms: number) => void;
  readonly items: unknown[];
  body?: BodyValue;
}

/**
 * Parses large bodies on a worker thread, because parsing 4 MB would block the event loop. The result comes back in chunks, so that the
 * event loop can serve other requests in between. Bodies are parsed sequentially, which limits memory use.
 */
export class BodyThread {
  #worker: Worker | undefined;
  /** The first job is running. */
  #queue: Job[] = [];

  read(text: BodyText, onTime: (ms: number) => void): Promise<BodyValue> {
    const job: Job = { text, settled: Promise.withResolvers(), onTime, items: [] };
    this.#queue.push(job);
    if (this.#queue.length === 1) this.#send({ text });
    return job.settled.promise;
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#fail();
    await worker?.terminate();
  }

  #send(request: BodyRequest): void {
    this.#worker ??= this.#open();
    this.#worker.postMessage(request);
  }

  #open(): Worker {
    const worker = new Worker(new URL('./body-worker.ts', import.meta.url));
    worker.unref();
    // Ignore events of a worker that was replaced after it ended.
    const ifCurrent = (work: () => void) => () => worker === this.#worker && work();
    worker.on('message', (response: BodyResponse) => ifCurrent(() => this.#receive(response))());
    worker.on(
      'error',
      ifCurrent(() => this.#fail()),
    );
    worker.on(
      'exit',
      ifCurrent(() => this.#fail()),
    );
    return worker;
  }

  #receive({ ms, body, refusal, items, isLast }: BodyResponse): void {
    const [job] = this.#queue;
    if (!job) return;
    if (ms !== undefined) job.onTime(ms);
    if (body) job.body = body;
    for (const item of items ?? []) job.items.push(item);
    if (!isLast) {
      setImmediate(() => job === this.#queue[0] && this.#send({}));
      return;
    }
    this.#queue.shift();
    const { settled, text } = job;
    if (refusal) settled.reject(new Refusal(refusal.code, refusal.message, { fields: refusal.fields }));
    else if (job.body) settled.resolve(withItems(job.body, text.list, job.items));
    const [next] = this.#queue;
    if (next) this.#send({ text: next.text });
  }

  #fail(): void {
    this.#worker = undefined;
    const jobs = this.#queue;
    this.#queue = [];
    for (const { settled } of jobs)
      settled.reject(
        new Refusal(
          'service_unavailable',
          'The body could not be parsed because of an internal error. Retry in a few seconds.',
          {
            headers: { 'retry-after': '2' },
          },
        ),
      );
  }
}

const withItems = (body: BodyValue, list: string | undefined, items: readonly unknown[]): BodyValue =>
  items.length > 0 ? { ...body, value: { ...(body.value as object), [list ?? '']: items } } : body;

/** Parses large bodies on the worker thread and others on this thread. */
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
