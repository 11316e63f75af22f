import { setTimeout as sleep } from 'node:timers/promises';
import { redact } from './redact.ts';

// biome-ignore lint/suspicious/noExplicitAny: the checks assert the shape; a type would repeat the contract under test.
export type Json = any;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Json;
}

/** A request and its response as shown in the report: without secrets, and truncated if long. */
export interface Exchange {
  readonly request: string;
  readonly sent?: string;
  readonly status: number;
  readonly answer: string;
}

export interface Options {
  readonly headers?: Readonly<Record<string, string>>;
  /** Strings are sent as they are, everything else as JSON. */
  readonly body?: unknown;
  /** Returns a 429 instead of waiting for its Retry-After. */
  readonly takes429?: boolean;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

const longestText = 1_500;
const requestTimeoutMs = 60_000;

/** Limits per minute require shorter waits than this. */
const longestWaitSeconds = 15;

const shorten = (text: string) => (text.length > longestText ? `${text.slice(0, longestText)}…` : text);

/** Sends requests with one credential and passes each exchange to `record`. */
export class Client {
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #record: (exchange: Exchange) => void;

  constructor(base: string, headers: Readonly<Record<string, string>>, record: (exchange: Exchange) => void) {
    this.#base = base;
    this.#headers = headers;
    this.#record = record;
  }

  get = (path: string, options?: Options) => this.send('GET', path, options);
  post = (path: string, body?: unknown, options?: Options) => this.send('POST', path, { ...options, body });
  put = (path: string, body?: unknown, options?: Options) => this.send('PUT', path, { ...options, body });
  patch = (path: string, body?: unknown, options?: Options) => this.send('PATCH', path, { ...options, body });
  delete = (path: string, options?: Options) => this.send('DELETE', path, options);

  /** Paths are relative to `/api/v1` unless they begin with a slash. */
  async send(method: Method, path: string, options: Options = {}): Promise<Answer> {
    for (;;) {
      const answer = await this.#sendOnce(method, path, options);
      const waitSeconds = Number(answer.headers.get('retry-after'));
      if (answer.status !== 429 || options.takes429 || !(waitSeconds <= longestWaitSeconds)) return answer;
      await sleep(waitSeconds * 1_000);
    }
  }

  async #sendOnce(method: Method, path: string, { headers = {}, body }: Options): Promise<Answer> {
    const address = path.startsWith('/') ? path : `/api/v1/${path}`;
    const sent = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(`${this.#base}${address}`, {
      method,
      headers: {
        ...this.#headers,
        ...(sent !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(sent !== undefined && { body: sent }),
      redirect: 'manual',
      signal: AbortSignal.timeout(requestTimeoutMs),
    });
    const text = await response.text();
    const request = `${method} ${redact(address)}`;
    this.#record({
      request,
      ...(sent !== undefined && { sent: shorten(redact(sent)) }),
      status: response.status,
      answer: shorten(redact(text)),
    });
    return { status: response.status, headers: response.headers, text, body: parse(text) };
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
