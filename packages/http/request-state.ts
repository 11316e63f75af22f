import { randomFillSync } from 'node:crypto';
import type { Span } from '@opentelemetry/api';
import type { Route } from '@tributary/contract';
import type { Admitted, Caller } from '@tributary/operations';
import { v7 as uuid } from 'uuid';

/** Random bytes are drawn in bulk: drawing them per request took a twentieth of the time of a small request. */
const randomBytes = new Uint8Array(8 * 1024);
let used = randomBytes.length;

function newRequestId(): string {
  if (used === randomBytes.length) {
    randomFillSync(randomBytes);
    used = 0;
  }
  used += 16;
  return `req_${uuid({ random: randomBytes.subarray(used - 16, used) })}`;
}

/** The state of a request while it is served; logs and metrics read it after the response was sent. */
export class RequestState {
  readonly requestId = newRequestId();
  readonly startedAt = performance.now();
  route: Route | undefined;
  caller: Caller | undefined;
  admitted: Admitted | undefined;
  errorCode: string | undefined;
  span: Span | undefined;
  /** Fires when the request times out. */
  deadline: NodeJS.Timeout | undefined;
  #abort: AbortController | undefined;
  #gone: PromiseWithResolvers<void> | undefined;
  #hasLeft = false;

  /** Resolves when the response was sent or the connection closed. Created lazily: only requests with a body need it. */
  get gone(): Promise<void> {
    this.#gone ??= Promise.withResolvers();
    if (this.#hasLeft) this.#gone.resolve();
    return this.#gone.promise;
  }

  leave(): void {
    this.#hasLeft = true;
    this.#gone?.resolve();
  }

  /** Created lazily: most handlers finish before anything could abort them. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    return this.#abort.signal;
  }

  abort(): void {
    this.#abort?.abort();
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    state: RequestState;
  }
}
