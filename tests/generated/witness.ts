import type { Route } from '@tributary/contract';

/** What is known of a request besides its answer: the route that it came to, and what broke it. */
export interface Seen {
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

/** Reads the log of the server under test, and takes away what it has read: a long run must not pile it up. */
export class Witness {
  readonly #lines: string[];
  readonly #routes: ReadonlyMap<string, Route>;
  #seen = new Map<string, Seen>();

  constructor(lines: string[], routes: readonly Route[]) {
    this.#lines = lines;
    this.#routes = new Map(routes.map((route) => [route.id, route]));
  }

  take(requestId: string): Seen {
    for (const line of this.#lines.splice(0)) this.#read(JSON.parse(line));
    const seen = this.#seen.get(requestId) ?? {};
    this.#seen.delete(requestId);
    return seen;
  }

  /** Forgets those that nobody asked for, because their clients were gone before the answer. */
  clear(): void {
    this.#lines.splice(0);
    this.#seen = new Map();
  }

  #read({ request_id, operation, error, error_code, at }: Line): void {
    if (!request_id) return;
    const route = this.#routes.get(operation ?? '');
    const failure = error && [error, error_code, at?.[0]].filter(Boolean).join(' ');
    this.#seen.set(request_id, { ...this.#seen.get(request_id), ...(route && { route }), ...(failure && { failure }) });
  }
}
