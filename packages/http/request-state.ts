import { randomFillSync } from 'node:crypto';
import type { Span } from '@opentelemetry/api';
import type { Route } from '@tributary/contract';
import type { Admitted, Caller } from '@tributary/operations';
import { v7 as uuid } from 'uuid';

/** Taken from the system many at once: one by one they were a twentieth of a small request. */
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

/** What is known of a request while it is served; logs and metrics read it when the answer has left. */
export class RequestState {
  readonly requestId = newRequestId();
  readonly startedAt = performance.now();
  route: Route | undefined;
  caller: Caller | undefined;
  admitted: Admitted | undefined;
  errorCode: string | undefined;
  span: Span | undefined;
  /** When it is given up. */
  deadline: NodeJS.Timeout | undefined;
  #abort: AbortController | undefined;
  #gone: PromiseWithResolvers<void> | undefined;
  #hasLeft = false;

  /** When its answer has left, or will not. Made when first asked for: only a body that is read is held until then. */
  get gone(): Promise<void> {
    this.#gone ??= Promise.withResolvers();
    if (this.#hasLeft) this.#gone.resolve();
    return this.#gone.promise;
  }

  leave(): void {
    this.#hasLeft = true;
    this.#gone?.resolve();
  }

  /** Made when first asked for: most handlers are done before anyone could abort them. */
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
