import { hash } from 'node:crypto';
import type { Stream } from '@tributary/stream';

/** The message of one request, on its way. */
interface Parcel {
  readonly id: string;
  readonly key: string;
  readonly text: string;
  readonly settled: PromiseWithResolvers<void>;
}

/** Publishes under way at once. Few: what comes in meanwhile shares the next one, and with it the log's wait for its disk. */
const lanes = 4;
const maxBatchBytes = 128 * 1024;
/** Less than a browser waits before it gives a request up, so that it hears why. */
const deadlineMs = 5_000;

/** Puts requests into the log. A request is kept when its message is on the log's disk. */
export class VisitLog {
  readonly #stream: Pick<Stream, 'placeOf'>;
  readonly #piles: readonly Pile[];

  constructor(stream: Pick<Stream, 'publish' | 'placeOf' | 'count'>) {
    this.#stream = stream;
    this.#piles = Array.from({ length: stream.count }, (_, place) => new Pile(stream, place));
  }

  /** `key`: what follows is spread by it over the partitions of the profile's stream. */
  publish(profileId: string, id: string, key: string, text: string): Promise<void> {
    const pile = this.#piles[this.#stream.placeOf(profileId)] as Pile;
    return pile.publish(id, key, text);
  }
}

/** What goes into one of the log's streams: each request alone while there are few, and several to a message, one a line, while there are many. */
class Pile {
  readonly #stream: Pick<Stream, 'publish'>;
  readonly #place: number;
  #waiting: Parcel[] = [];
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

  /** Not at once: other requests of this turn of the event loop come along. */
  #wake(): void {
    if (this.#isDue || this.#busy >= lanes) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      void this.#send(this.#takeBatch());
    });
  }

  #takeBatch(): Parcel[] {
    let bytes = 0;
    const end = this.#waiting.findIndex(({ text }) => {
      bytes += text.length;
      return bytes > maxBatchBytes;
    });
    // One that is larger than all the room goes alone.
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : Math.max(1, end));
  }

  async #send(batch: readonly Parcel[]): Promise<void> {
    const [first] = batch;
    if (!first) return;
    this.#busy += 1;
    if (this.#waiting.length > 0) this.#wake();
    try {
      // A request that comes again alone is stored once; several are known again by the reader.
      const id = batch.length === 1 ? first.id : hash('sha256', batch.map((parcel) => parcel.id).join(), 'base64url');
      const payload = Buffer.from(batch.map(({ text }) => text).join('\n'));
      await this.#stream.publish([{ id, place: this.#place, key: first.key, payload }], { deadlineMs });
      for (const { settled } of batch) settled.resolve();
    } catch (error) {
      // Whoever still waits would meet the same, only later.
      const given = [...batch, ...this.#waiting];
      this.#waiting = [];
      for (const { settled } of given) settled.reject(error);
    } finally {
      this.#busy -= 1;
      if (this.#waiting.length > 0) this.#wake();
    }
  }
}
