import { createHash } from 'node:crypto';
import { Transform } from 'node:stream';

/** Counts and hashes the bytes that pass through. */
export class Meter extends Transform {
  readonly #hash = createHash('sha256');
  #bytes = 0;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: (error: null, chunk: Buffer) => void): void {
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
    done(null, chunk);
  }

  /** Can be called once, after the stream has ended. */
  result(): { readonly bytes: number; readonly sha256: string } {
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }
}
