import type { IncomingMessage } from 'node:http';
import { Refusal } from '@tributary/operations/refusals.ts';

export interface BodyLimits {
  /** The limit of one body. */
  readonly maxBytes: number;
  /** The limit of all bodies in progress. Beyond it new ones are rejected, so that a slow stream does not fill the memory. */
  readonly maxHeldBytes: number;
  /** Concurrent slow bodies of one address. */
  readonly maxSlowPerAddress: number;
  /** From the headers to the last byte. */
  readonly deadlineMs: number;
  readonly refuseTooLarge: () => Refusal;
  /** Error for a body that does not fit into memory right now. */
  readonly refuseForNow: () => Refusal;
}

/** A body that has not arrived by then is slow. Most arrive with their headers. */
const slowAfterMs = 250;

/**
 * Reads bodies within a memory limit. Received bytes count, not the announced length: a sender that announces much and sends
 * nothing does not affect others.
 */
export class BodyReader {
  readonly #limits: BodyLimits;
  readonly #slow = new Map<string, number>();
  #heldBytes = 0;

  constructor(limits: BodyLimits) {
    this.#limits = limits;
  }

  /** The body counts against the limit until `work` is done. */
  async read<T>(request: IncomingMessage, sender: string, work: (body: Buffer) => Promise<T>): Promise<T> {
    if (!(Number(request.headers['content-length'] ?? 0) <= this.#limits.maxBytes)) throw this.#limits.refuseTooLarge();
    const held = { bytes: 0 };
    try {
      return await work(await this.#collect(request, sender, held));
    } finally {
      this.#heldBytes -= held.bytes;
    }
  }

  #collect(request: IncomingMessage, sender: string, held: { bytes: number }): Promise<Buffer> {
    const { maxBytes, maxHeldBytes, deadlineMs, refuseTooLarge, refuseForNow } = this.#limits;
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const chunks: Buffer[] = [];
    let isSlow = false;
    let timer = setTimeout(() => {
      isSlow = this.#addSlow(sender);
      if (!isSlow) return fail(tooMany('open_bodies', 'Too many requests of this address are half sent.'));
      timer = setTimeout(fail, deadlineMs - slowAfterMs, tooMany('slow_body', 'The body took too long to come.'));
    }, slowAfterMs);
    const stopReading = () => {
      clearTimeout(timer);
      if (isSlow) this.#removeSlow(sender);
      isSlow = false;
    };
    const fail = (error: Refusal) => {
      stopReading();
      request.off('data', append).pause();
      reject(error);
    };
    const append = (chunk: Buffer) => {
      held.bytes += chunk.length;
      this.#heldBytes += chunk.length;
      if (held.bytes > maxBytes) fail(refuseTooLarge());
      else if (this.#heldBytes > maxHeldBytes) fail(refuseForNow());
      else chunks.push(chunk);
    };
    request.on('data', append);
    request.once('end', () => {
      stopReading();
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    });
    request.once('error', () => fail(new Refusal('invalid_request', 'The body ended before its end.')));
    return promise;
  }

  /** Returns false if the address already has too many slow bodies. */
  #addSlow(sender: string): boolean {
    const slow = this.#slow.get(sender) ?? 0;
    if (slow >= this.#limits.maxSlowPerAddress) return false;
    this.#slow.set(sender, slow + 1);
    return true;
  }

  #removeSlow(sender: string): void {
    const slow = (this.#slow.get(sender) ?? 1) - 1;
    if (slow > 0) this.#slow.set(sender, slow);
    else this.#slow.delete(sender);
  }
}

/** The sender keeps its visits and retries. */
const tooMany = (reason: string, message: string) =>
  new Refusal('rate_limit_exceeded', message, { fields: { reason }, headers: { 'retry-after': '2' } });
