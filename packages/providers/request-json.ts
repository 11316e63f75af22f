import type { z } from 'zod';
import type { Call, ProviderAnswer, ProviderRequest } from './provider.ts';
import type { ProviderFault, Verdict } from './provider-fault.ts';
import { readAs, readJson, unreadable } from './read-answer.ts';

/** Limits one page of a list, which may have long rows. */
const mostBytes = 32 * 1024 * 1024;

export interface JsonAnswer<T> {
  readonly body: T;
  readonly headers: ProviderAnswer['headers'];
}

/** Sends a request and parses the JSON response. Error responses are classified by the provider's own table. */
export async function requestJson<T>(
  request: ProviderRequest,
  schema: z.ZodType<T>,
  call: Call,
  faultOf: (answer: ProviderAnswer) => ProviderFault,
): Promise<JsonAnswer<T>> {
  call.signal.throwIfAborted();
  const answer = await call.send({ maxResponseBytes: mostBytes, ...request });
  if (answer.status >= 300) throw faultOf(answer);
  const body = readJson(answer.text);
  if (body === undefined) throw unreadable(answer);
  return { body: readAs(schema, body, new URL(request.url).pathname), headers: answer.headers };
}

/** The usual meaning of a status. Providers with other meanings check those before they call this. */
export function verdictOf(status: number): Verdict {
  if (status === 401) return 'reconnect';
  if (status === 403) return 'needs_action';
  if (status === 408 || status === 409 || status === 425 || status === 429 || status >= 500) return 'wait';
  return 'refused';
}

/** Parses Retry-After: seconds or an HTTP date. */
export function retryAfterMs(headers: ProviderAnswer['headers'], now: Date): number | undefined {
  const text = headers['retry-after'];
  if (text === undefined) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now.getTime();
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}

/** The base URL without a trailing slash. */
export const baseOf = (url: string): string => url.replace(/\/+$/, '');
