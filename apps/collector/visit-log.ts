import { hash } from 'node:crypto';
import type { Stream } from '@tributary/stream';

/** The message of one request that waits to be published. */
interface PendingRequest {
  readonly id: string;
  readonly key: string;
  readonly text: string;
  readonly settled: PromiseWithResolvers<void>;
}

/** Concurrent publishes. Few, because requests that arrive meanwhile share the next message, and its wait for the disk. */
const maxConcurrent = 4;
const maxBatchBytes = 128 * 1024;
/** Shorter than the browser's timeout, so that the browser receives the error. */
const deadlineMs = 5_000;

/** Publishes requests to the stream. A request is stored when its message is on the stream's disk. */
export class VisitLog {
  readonly #stream: Pick<Stream, 'placeOf'>;
  readonly #queues: readonly PublishQueue[];

  constructor(stream: Pick<Stream, 'publish' | 'placeOf' | 'count'>) {
    this.#stream = stream;
    this.#queues = Array.from({ length: stream.count }, (_, place) => new PublishQueue(stream, place));
  }

  /** `key` distributes the messages over the partitions of the profile's stream. */
  publish(profileId: string, id: string, key: string, text: string): Promise<void> {
    const queue = this.#queues[this.#stream.placeOf(profileId)] as PublishQueue;
    return queue.publish(id, key, text);
  }
}

/**
 * The queue of one of the stream's partitions: under low load each request is a message, under high load several share one, one
 * per line.
 */
class PublishQueue {
  readonly #stream: Pick<Stream, 'publish'>;
  readonly #place: number;
  #waiting: PendingRequest[] = [];
  #busy = 0;
  #isDue = false;

  constructor(stream: Pick<Stream, 'publish'>, place: number) {
    this.#stream = stream;
    this.#place = place;
  }

  publish(id: string, key: string, text: string): Promise<void> {
    const settled = Promise.withResolvers<void>();
    this.#waiting.push({ id, key, text, settled });
    this.#wake();
    return settled.promise;
  }

  /** Deferred, so that other requests of this turn of the event loop are included. */
  #wake(): void {
    if (this.#isDue || this.#busy >= maxConcurrent) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      void this.#send(this.#takeBatch());
    });
  }

  #takeBatch(): PendingRequest[] {
    let bytes = 0;
    const end = this.#waiting.findIndex(({ text }) => {
      bytes += text.length;
      return bytes > maxBatchBytes;
    });
    // A request above the limit is sent alone.
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : Math.max(1, end));
  }

  async #send(batch: readonly PendingRequest[]): Promise<void> {
    const [first] = batch;
    if (!first) return;
    this.#busy += 1;
    if (this.#waiting.length > 0) this.#wake();
    try {
      // A repeated single request is stored once by its id; the reader deduplicates requests in shared messages.
      const id = batch.length === 1 ? first.id : hash('sha256', batch.map((parcel) => parcel.id).join(), 'base64url');
      const payload = Buffer.from(batch.map(({ text }) => text).join('\n'));
      await this.#stream.publish([{ id, place: this.#place, key: first.key, payload }], { deadlineMs });
      for (const { settled } of batch) settled.resolve();
    } catch (error) {
      // Waiting requests would fail the same way, only later.
      const failed = [...batch, ...this.#waiting];
      this.#waiting = [];
      for (const { settled } of failed) settled.reject(error);
    } finally {
      this.#busy -= 1;
      if (this.#waiting.length > 0) this.#wake();
    }
  }
}
