import type { Span } from '@opentelemetry/api';
import type { Route } from '@tributary/contract';
import type { Caller } from '@tributary/operations';
import { v7 as uuid } from 'uuid';

/** What is known of a request while it is served; logs and metrics read it when the answer has left. */
export class RequestState {
  readonly requestId = `req_${uuid()}`;
  readonly startedAt = performance.now();
  route: Route | undefined;
  caller: Caller | undefined;
  errorCode: string | undefined;
  span: Span | undefined;
  #abort: AbortController | undefined;

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
