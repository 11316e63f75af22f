import { ErrorCode, errorEntry, isSentAsBearer, type Route } from '@tributary/contract';
import { z } from 'zod';

/** What a client must know of a route to call it, and no more. Plain data, so that the built package can carry it without zod. */
export interface Operation {
  readonly method: Route['method'];
  readonly path: string;
  readonly contentType: string;
  /** Sent with the key only where a key is looked at. */
  readonly takesKey: boolean;
  /** Sending it twice does no more than sending it once, even without an Idempotency-Key. */
  readonly isRepeatable: boolean;
  /** A key makes sending it again harmless, and the client makes one where the caller has none. */
  readonly takesIdempotencyKey: boolean;
  /** The query parameters that a page's cursor goes into; absent where there are no pages. */
  readonly cursor?: readonly string[];
}

export type Operations = Readonly<Record<string, Operation>>;

export function operationsOf(routes: Readonly<Record<string, Route>>): Operations {
  return Object.fromEntries(Object.entries(routes).map(([id, route]) => [id, operationOf(route)]));
}

function operationOf(route: Route): Operation {
  const cursor = cursorOf(route);
  return {
    method: route.method,
    path: route.path,
    contentType: route.body?.contentType ?? 'application/json',
    takesKey: route.access.credentials.some(isSentAsBearer),
    isRepeatable: route.method === 'GET' || route.idempotency === 'natural',
    takesIdempotencyKey: route.idempotency === 'required' || route.idempotency === 'accepted',
    ...(cursor && { cursor }),
  };
}

/** A cursor is one opaque parameter, or two that stand in it side by side, parted by a bar. */
const cursorParameters = [['cursor'], ['cursor_time', 'cursor_id']];

function cursorOf({ answers, query }: Route): readonly string[] | undefined {
  const answer = answers[200]?.schema;
  if (!(answer instanceof z.ZodObject) || !('pagination' in answer.shape)) return undefined;
  return cursorParameters.find((names) => names.every((name) => name in (query?.shape ?? {})));
}

/** The errors after which the very same request may succeed. */
export function passingCodes(): readonly ErrorCode[] {
  return ErrorCode.options.filter((code) => ['with_backoff', 'after_retry_after'].includes(errorEntry(code).retry));
}
