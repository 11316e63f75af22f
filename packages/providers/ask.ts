import type { z } from 'zod';
import type { Call, ProviderAnswer, ProviderRequest } from './provider.ts';
import type { ProviderFault, Verdict } from './provider-fault.ts';
import { readAs, readJson, unreadable } from './read-answer.ts';

/** A page of a list, however long its rows are. */
const mostBytes = 32 * 1024 * 1024;

export interface Heard<T> {
  readonly body: T;
  readonly headers: ProviderAnswer['headers'];
}

/** Asks for JSON. What is refused is sorted by the provider's own table. */
export async function ask<T>(
  request: ProviderRequest,
  schema: z.ZodType<T>,
  call: Call,
  faultOf: (answer: ProviderAnswer) => ProviderFault,
): Promise<Heard<T>> {
  call.signal.throwIfAborted();
  const answer = await call.send({ maxResponseBytes: mostBytes, ...request });
  if (answer.status >= 300) throw faultOf(answer);
  const body = readJson(answer.text);
  if (body === undefined) throw unreadable(answer);
  return { body: readAs(schema, body, new URL(request.url).pathname), headers: answer.headers };
}

/** What most providers mean by a status; those that mean something else say so before they ask here. */
export function verdictOf(status: number): Verdict {
  if (status === 401) return 'reconnect';
  if (status === 403) return 'needs_action';
  if (status === 408 || status === 409 || status === 425 || status === 429 || status >= 500) return 'wait';
  return 'refused';
}

/** Seconds, or the moment itself. */
export function retryAfterMs(headers: ProviderAnswer['headers'], now: Date): number | undefined {
  const text = headers['retry-after'];
  if (text === undefined) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now.getTime();
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}

/** A base URL that ends without a slash, so that paths can be put behind it. */
export const baseOf = (url: string): string => url.replace(/\/+$/, '');
