import type { IncomingMessage } from 'node:http';
import { Refusal } from '@tributary/operations/refusals.ts';

export interface BodyLimits {
  /** Of one body. */
  readonly maxBytes: number;
  /** Of all bodies whose requests are not answered yet. Beyond it new ones are sent away, so that a slow log costs no memory. */
  readonly maxHeldBytes: number;
  /** Bodies of one address that keep us waiting at once. */
  readonly maxSlowPerAddress: number;
  /** From the headers to the last byte. */
  readonly deadlineMs: number;
  readonly refuseTooLarge: () => Refusal;
  /** Error for a body that does not fit into memory right now. */
  readonly refuseForNow: () => Refusal;
}

/** A body that is not here by then keeps us waiting. Most come with their headers. */
const slowAfterMs = 250;

/**
 * Reads bodies, and knows how much of them is held. What counts is what has come: a sender who announces much and sends nothing takes
 * no room from the others.
 */
export class BodyReader {
  readonly #limits: BodyLimits;
  readonly #slow = new Map<string, number>();
  #heldBytes = 0;

  constructor(limits: BodyLimits) {
    this.#limits = limits;
  }

  /** The body counts as held until `work` is done with it. */
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
    const settle = () => {
      clearTimeout(timer);
      if (isSlow) this.#removeSlow(sender);
      isSlow = false;
    };
    const fail = (error: Refusal) => {
      settle();
      request.off('data', take).pause();
      reject(error);
    };
    const take = (chunk: Buffer) => {
      held.bytes += chunk.length;
      this.#heldBytes += chunk.length;
      if (held.bytes > maxBytes) fail(refuseTooLarge());
      else if (this.#heldBytes > maxHeldBytes) fail(refuseForNow());
      else chunks.push(chunk);
    };
    request.on('data', take);
    request.once('end', () => {
      settle();
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    });
    request.once('error', () => fail(new Refusal('invalid_request', 'The body ended before its end.')));
    return promise;
  }

  /** False where the address keeps us waiting for too many already. */
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
