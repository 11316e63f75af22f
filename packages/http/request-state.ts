import type { Span } from '@opentelemetry/api';
import type { Route } from '@tributary/contract';
import type { Admitted, Caller } from '@tributary/operations';
import { v7 as uuid } from 'uuid';

/** What is known of a request while it is served; logs and metrics read it when the answer has left. */
export class RequestState {
  readonly requestId = `req_${uuid()}`;
  readonly startedAt = performance.now();
  route: Route | undefined;
  caller: Caller | undefined;
  admitted: Admitted | undefined;
  errorCode: string | undefined;
  span: Span | undefined;
  #abort: AbortController | undefined;
  readonly #gone = Promise.withResolvers<void>();

  /** When its answer has left, or will not. */
  get gone(): Promise<void> {
    return this.#gone.promise;
  }

  leave(): void {
    this.#gone.resolve();
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
