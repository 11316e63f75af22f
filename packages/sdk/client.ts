import type { Route } from '@tributary/contract';
import { parseJson, readError, TributaryError, type TributaryErrorCode, unreadableAnswer } from './error.ts';
import type { Operation, Operations } from './operation.ts';
import { transientCodes } from './operations.ts';
import type { ClientOf } from './types.ts';

export interface ClientOptions {
  /** The origin of the service, like https://tributary.example. */
  readonly baseUrl: string;
  /** An API key, or any other bearer token. Not needed with a session cookie. */
  readonly apiKey?: string;
  /** For pages of the service itself, where the browser sends a session cookie; names the profile to act for. */
  readonly session?: { readonly profileId?: string | undefined };
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: typeof globalThis.fetch;
  /** The timeout of one attempt. */
  readonly timeoutMs?: number;
  readonly retry?: Partial<RetryOptions>;
  /**
   * Whether the client generates an Idempotency-Key for changes that accept one, so that they are retried after a lost
   * connection. `false`: a change without a key is sent once. Default: true.
   */
  readonly makesKeys?: boolean;
}

export interface RetryOptions {
  /** How often a request is sent, including the first attempt. */
  readonly attempts: number;
  /** The wait before the second attempt; it doubles with each further one. */
  readonly firstWaitMs: number;
  /** The longest wait between two attempts. If the server asks for a longer one, the call fails instead. */
  readonly longestWaitMs: number;
}

const defaultRetry: RetryOptions = { attempts: 3, firstWaitMs: 250, longestWaitMs: 30_000 };

interface AnyRequest {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: object;
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

interface Success {
  readonly answer: unknown;
}

interface AnyPage {
  readonly data: readonly unknown[];
  readonly pagination: { readonly has_next: boolean; readonly cursor: string | null };
}

/** A client with a method for each operation. */
export function createClientOf<Table extends Readonly<Record<string, Route>>>(
  operations: Operations,
  options: ClientOptions,
): ClientOf<Table> {
  const methods = Object.entries(operations).map(([id, operation]) => {
    const call = (request: AnyRequest = {}) => send(id, operation, request, options);
    const pages = (request: AnyRequest = {}) => eachPage(call, operation.cursor ?? [], request);
    const each = (request: AnyRequest = {}) => eachRow(pages(request));
    return [id, operation.cursor ? Object.assign(call, { each, pages }) : call];
  });
  // The methods are built from a table at run time; tests verify that they match the types.
  return Object.fromEntries(methods) as ClientOf<Table>;
}

async function send(id: string, operation: Operation, given: AnyRequest, options: ClientOptions): Promise<unknown> {
  const request = withIdempotencyKey(operation, given, options);
  const url = buildUrl(id, operation, request, options.baseUrl);
  const init = buildInit(operation, request, options);
  const { attempts, firstWaitMs, longestWaitMs } = { ...defaultRetry, ...options.retry };
  const isRepeatable = operation.isRepeatable || request.idempotencyKey !== undefined;
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await attemptOnce(url, init, request.signal, options);
    if (!(outcome instanceof TributaryError)) return outcome.answer;
    // Half of the wait is random, so that clients that failed together do not retry together.
    const backoffMs = firstWaitMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
    const waitMs = Math.max(backoffMs, (outcome.retryAfter ?? 0) * 1_000);
    if (attempt >= attempts || !isRepeatable || !isTransient(outcome) || waitMs > longestWaitMs) throw outcome;
    await pause(waitMs, request.signal);
  }
}

function withIdempotencyKey(
  { takesIdempotencyKey }: Operation,
  given: AnyRequest,
  { makesKeys = true }: ClientOptions,
): AnyRequest {
  if (!takesIdempotencyKey || !makesKeys || given.idempotencyKey !== undefined) return given;
  return { ...given, idempotencyKey: generateKey() };
}

/** Not `randomUUID`: it is missing on pages served over plain http. */
const generateKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Whether the same request may succeed later. Decided by the error code, or without one by the status that a proxy returned. */
function isTransient({ code, status, retryAfter }: TributaryError): boolean {
  if (status === 429) return retryAfter !== undefined;
  if (code === 'no_answer') return true;
  if (code === 'unreadable_answer') return status === 502 || status === 503 || status === 504;
  return transientCodes.includes(code);
}

async function attemptOnce(
  url: string,
  init: RequestInit,
  signal: AbortSignal | undefined,
  { fetch = globalThis.fetch, timeoutMs = 30_000 }: ClientOptions,
): Promise<Success | TributaryError> {
  signal?.throwIfAborted();
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, { ...init, signal: signal ? AbortSignal.any([signal, timeout]) : timeout });
    return response.ok ? await readAnswer(response) : await readError(response);
  } catch (cause) {
    signal?.throwIfAborted();
    const message = timeout.aborted
      ? `No answer within ${timeoutMs} ms.`
      : 'No answer: the server could not be reached, or the connection broke.';
    return new TributaryError<TributaryErrorCode>({ code: 'no_answer', message, status: 0, cause });
  }
}

async function readAnswer(response: Response): Promise<Success | TributaryError> {
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('image/')) return { answer: await response.blob() };
  const text = await response.text();
  if (text === '') return { answer: undefined };
  if (!/\bjson\b/.test(type)) return { answer: text };
  const answer = parseJson(text);
  return answer === undefined ? unreadableAnswer(response, text) : { answer };
}

function buildUrl(id: string, { path }: Operation, { params = {}, query = {} }: AnyRequest, baseUrl: string): string {
  const filledPath = path.replace(/\{(\w+)\}/g, (_match, name: string) => {
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
  return `${baseUrl.replace(/\/+$/, '')}${filledPath}${search.size > 0 ? `?${search}` : ''}`;
}

function buildInit(
  { method, contentType, takesKey }: Operation,
  { body, idempotencyKey }: AnyRequest,
  { apiKey, headers, session }: ClientOptions,
): RequestInit {
  // Changes with a session cookie must be JSON even without a body: a form of another site cannot send JSON.
  const needsJsonType = session !== undefined && method !== 'GET';
  return {
    method,
    headers: {
      ...headers,
      accept: 'application/json',
      ...(session?.profileId !== undefined && { 'x-profile-id': session.profileId }),
      ...(apiKey !== undefined && takesKey && { authorization: `Bearer ${apiKey}` }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...((body !== undefined || needsJsonType) && { 'content-type': contentType }),
    },
    ...(body !== undefined && { body: contentType === 'application/json' ? JSON.stringify(body) : encodeForm(body) }),
  };
}

function encodeForm(body: object): string {
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
  for (let lastCursor: string | null = null; ; ) {
    const page = (await call({ ...request, ...(query && { query }) })) as AnyPage;
    yield page;
    const { has_next: hasNext, cursor } = page.pagination;
    if (!hasNext) return;
    // Requesting the same page again would loop for ever.
    if (cursor === null || cursor === lastCursor)
      throw new Error('The server promised another page and did not say where.');
    lastCursor = cursor;
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
