import type { IncomingMessage } from 'node:http';
import { Refusal } from '@tributary/operations';
import { away } from './take-request.ts';

export interface BodyLimits {
  /** Of one body. */
  readonly maxBytes: number;
  /** Of all bodies whose requests are not answered yet. Beyond it new ones are sent away, so that a slow log costs no memory. */
  readonly maxHeldBytes: number;
}

/** Reads bodies, and knows how much of them is held. */
export class BodyReader {
  readonly #limits: BodyLimits;
  #heldBytes = 0;

  constructor(limits: BodyLimits) {
    this.#limits = limits;
  }

  /** The body counts as held until `work` is done with it. */
  async read<T>(request: IncomingMessage, work: (body: Promise<Buffer>) => Promise<T>): Promise<T> {
    const { maxBytes, maxHeldBytes } = this.#limits;
    const declared = Number(request.headers['content-length'] ?? maxBytes);
    if (!(declared <= maxBytes)) throw tooLarge();
    if (this.#heldBytes + declared > maxHeldBytes) throw away('too much is on its way to the log');
    this.#heldBytes += declared;
    try {
      return await work(collect(request, maxBytes));
    } finally {
      this.#heldBytes -= declared;
    }
  }
}

function collect(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) chunks.push(chunk);
      else reject(tooLarge());
    });
    request.once('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    request.once('error', () => reject(new Refusal('invalid_request', 'The body ended before its end.')));
  });
}

const tooLarge = () =>
  new Refusal('payload_too_large', 'A request may have up to 64 KiB and 50 visits. Send fewer at once.');
