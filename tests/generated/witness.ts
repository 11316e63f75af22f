import type { Route } from '@tributary/contract';

/** What the log says about a request: the route that handled it, and the error that broke it. */
export interface LogEntry {
  readonly route?: Route;
  readonly failure?: string;
}

interface Line {
  readonly request_id?: string;
  readonly operation?: string;
  readonly error?: string;
  readonly error_code?: string;
  readonly at?: readonly string[];
}

/** Reads the log of the server under test and removes what it has read, so that the log does not grow during a long run. */
export class Witness {
  readonly #lines: string[];
  readonly #routes: ReadonlyMap<string, Route>;
  #entries = new Map<string, LogEntry>();

  constructor(lines: string[], routes: readonly Route[]) {
    this.#lines = lines;
    this.#routes = new Map(routes.map((route) => [route.id, route]));
  }

  take(requestId: string): LogEntry {
    for (const line of this.#lines.splice(0)) this.#read(JSON.parse(line));
    const entry = this.#entries.get(requestId) ?? {};
    this.#entries.delete(requestId);
    return entry;
  }

  /** Forgets entries that were never taken, because their clients had disconnected before the response. */
  clear(): void {
    this.#lines.splice(0);
    this.#entries = new Map();
  }

  #read({ request_id, operation, error, error_code, at }: Line): void {
    if (!request_id) return;
    const route = this.#routes.get(operation ?? '');
    const failure = error && [error, error_code, at?.[0]].filter(Boolean).join(' ');
    this.#entries.set(request_id, {
      ...this.#entries.get(request_id),
      ...(route && { route }),
      ...(failure && { failure }),
    });
  }
}
