import type { Route } from '@tributary/contract';
import { errorOf, parseJson, TributaryError, type TributaryErrorCode, unreadable } from './error.ts';
import type { Operation, Operations } from './operation.ts';
import { passing } from './operations.ts';
import type { ClientOf } from './types.ts';

export interface ClientOptions {
  /** Where the service is, like https://tributary.example. */
  readonly baseUrl: string;
  /** An API key, or any other token that is sent as a Bearer. Not needed where a cookie says who asks. */
  readonly apiKey?: string;
  /** In a page of the service's own the browser's cookie says who asks; the profile they act for is named here. */
  readonly session?: { readonly profileId?: string | undefined };
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: typeof globalThis.fetch;
  /** For one attempt. */
  readonly timeoutMs?: number;
  readonly retry?: Partial<RetryOptions>;
  /**
   * A change that takes an Idempotency-Key and was given none gets one of the client's own, so that it too is sent again after a lost
   * connection. `false`: such a change is sent once.
   */
  readonly makesKeys?: boolean;
}

export interface RetryOptions {
  /** How often a request is sent, the first time included. */
  readonly attempts: number;
  /** The wait before the second attempt; it doubles with each further one. */
  readonly firstWaitMs: number;
  /** Nobody is kept waiting longer than this between two attempts: a server that asks for more is not asked again. */
  readonly longestWaitMs: number;
}

const usualRetry: RetryOptions = { attempts: 3, firstWaitMs: 250, longestWaitMs: 30_000 };

interface AnyRequest {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: object;
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

interface Answered {
  readonly answer: unknown;
}

interface AnyPage {
  readonly data: readonly unknown[];
  readonly pagination: { readonly has_next: boolean; readonly cursor: string | null };
}

/** A client with a method for each operation. */
export function clientOf<Table extends Readonly<Record<string, Route>>>(
  operations: Operations,
  options: ClientOptions,
): ClientOf<Table> {
  const methods = Object.entries(operations).map(([id, operation]) => {
    const call = (request: AnyRequest = {}) => send(id, operation, request, options);
    const pages = (request: AnyRequest = {}) => eachPage(call, operation.cursor ?? [], request);
    const each = (request: AnyRequest = {}) => eachRow(pages(request));
    return [id, operation.cursor ? Object.assign(call, { each, pages }) : call];
  });
  // The methods are made from a table at run time; that they fit its types is what the tests are for.
  return Object.fromEntries(methods) as ClientOf<Table>;
}

async function send(id: string, operation: Operation, asked: AnyRequest, options: ClientOptions): Promise<unknown> {
  const request = withKey(operation, asked, options);
  const url = addressOf(id, operation, request, options.baseUrl);
  const init = initOf(operation, request, options);
  const { attempts, firstWaitMs, longestWaitMs } = { ...usualRetry, ...options.retry };
  const isRepeatable = operation.isRepeatable || request.idempotencyKey !== undefined;
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await attemptOnce(url, init, request.signal, options);
    if (!(outcome instanceof TributaryError)) return outcome.answer;
    // Half of the wait is left to chance, so that clients that failed together do not come back together.
    const backoffMs = firstWaitMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
    const waitMs = Math.max(backoffMs, (outcome.retryAfter ?? 0) * 1_000);
    if (attempt >= attempts || !isRepeatable || !mayPass(outcome) || waitMs > longestWaitMs) throw outcome;
    await pause(waitMs, request.signal);
  }
}

function withKey(
  { takesIdempotencyKey }: Operation,
  asked: AnyRequest,
  { makesKeys = true }: ClientOptions,
): AnyRequest {
  if (!takesIdempotencyKey || !makesKeys || asked.idempotencyKey !== undefined) return asked;
  return { ...asked, idempotencyKey: madeKey() };
}

/** Not `randomUUID`: a page that came over plain http has none. */
const madeKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Whether the same request may succeed later. The code decides; where there is none, the status of whatever stood in between. */
function mayPass({ code, status, retryAfter }: TributaryError): boolean {
  if (status === 429) return retryAfter !== undefined;
  if (code === 'no_answer') return true;
  if (code === 'unreadable_answer') return status === 502 || status === 503 || status === 504;
  return passing.includes(code);
}

async function attemptOnce(
  url: string,
  init: RequestInit,
  signal: AbortSignal | undefined,
  { fetch = globalThis.fetch, timeoutMs = 30_000 }: ClientOptions,
): Promise<Answered | TributaryError> {
  signal?.throwIfAborted();
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, { ...init, signal: signal ? AbortSignal.any([signal, timeout]) : timeout });
    return response.ok ? await readAnswer(response) : await errorOf(response);
  } catch (cause) {
    signal?.throwIfAborted();
    const message = timeout.aborted
      ? `No answer within ${timeoutMs} ms.`
      : 'No answer: the server could not be reached, or the connection broke.';
    return new TributaryError<TributaryErrorCode>({ code: 'no_answer', message, status: 0, cause });
  }
}

async function readAnswer(response: Response): Promise<Answered | TributaryError> {
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('image/')) return { answer: await response.blob() };
  const text = await response.text();
  if (text === '') return { answer: undefined };
  if (!/\bjson\b/.test(type)) return { answer: text };
  const answer = parseJson(text);
  return answer === undefined ? unreadable(response, text) : { answer };
}

function addressOf(id: string, { path }: Operation, { params = {}, query = {} }: AnyRequest, baseUrl: string): string {
  const filled = path.replace(/\{(\w+)\}/g, (_match, name: string) => {
    const value = String(params[name] ?? '');
    // A dot segment would be resolved away, and the request would reach another route.
    if (/^\.{0,2}$/.test(value)) throw new TypeError(`${id} needs params.${name}; it cannot be "${value}".`);
    return encodeURIComponent(value);
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined) search.append(name, String(each));
  }
  return `${baseUrl.replace(/\/+$/, '')}${filled}${search.size > 0 ? `?${search}` : ''}`;
}

function initOf(
  { method, contentType, takesKey }: Operation,
  { body, idempotencyKey }: AnyRequest,
  { apiKey, headers, session }: ClientOptions,
): RequestInit {
  // A change on the strength of a cookie must be JSON, even without a body: that is what no form of another site can send.
  const isMarked = session !== undefined && method !== 'GET';
  return {
    method,
    headers: {
      ...headers,
      accept: 'application/json',
      ...(session?.profileId !== undefined && { 'x-profile-id': session.profileId }),
      ...(apiKey !== undefined && takesKey && { authorization: `Bearer ${apiKey}` }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...((body !== undefined || isMarked) && { 'content-type': contentType }),
    },
    ...(body !== undefined && { body: contentType === 'application/json' ? JSON.stringify(body) : formOf(body) }),
  };
}

function formOf(body: object): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(body)) if (value !== undefined) form.append(name, String(value));
  return form.toString();
}

async function* eachRow(pages: AsyncIterable<AnyPage>): AsyncGenerator<unknown, void, undefined> {
  for await (const { data } of pages) yield* data;
}

async function* eachPage(
  call: (request: AnyRequest) => Promise<unknown>,
  parameters: readonly string[],
  request: AnyRequest,
): AsyncGenerator<AnyPage, void, undefined> {
  let query = request.query;
  for (let seen: string | null = null; ; ) {
    const page = (await call({ ...request, ...(query && { query }) })) as AnyPage;
    yield page;
    const { has_next: hasNext, cursor } = page.pagination;
    if (!hasNext) return;
    // Asking for the same page for ever would look like a very long list.
    if (cursor === null || cursor === seen) throw new Error('The server promised another page and did not say where.');
    seen = cursor;
    const parts = parameters.length === 1 ? [cursor] : cursor.split('|');
    query = { ...query, ...Object.fromEntries(parameters.map((name, index) => [name, parts[index]])) };
  }
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
