import { ErrorCode, errorEntry, isSentAsBearer, type Route } from '@tributary/contract';
import { z } from 'zod';

/** The part of a route that the client needs to call it. Plain data, so that the built package does not depend on zod. */
export interface Operation {
  readonly method: Route['method'];
  readonly path: string;
  readonly contentType: string;
  /** Whether the operation accepts an API key; other operations get none. */
  readonly takesKey: boolean;
  /** Whether the request may be sent twice without an Idempotency-Key and without a second effect. */
  readonly isRepeatable: boolean;
  /**
   * Whether the operation accepts an Idempotency-Key, which makes retries safe. The client generates one if the caller gives
   * none.
   */
  readonly takesIdempotencyKey: boolean;
  /** The query parameters that receive a page's cursor; absent if the response is not paged. */
  readonly cursor?: readonly string[];
}

export type Operations = Readonly<Record<string, Operation>>;

export function toOperations(routes: Readonly<Record<string, Route>>): Operations {
  return Object.fromEntries(Object.entries(routes).map(([id, route]) => [id, toOperation(route)]));
}

function toOperation(route: Route): Operation {
  const cursor = getCursorParameters(route);
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

/** A cursor is one opaque parameter, or two parameters joined by a bar. */
const cursorParameters = [['cursor'], ['cursor_time', 'cursor_id']];

function getCursorParameters({ answers, query }: Route): readonly string[] | undefined {
  const answer = answers[200]?.schema;
  if (!(answer instanceof z.ZodObject) || !('pagination' in answer.shape)) return undefined;
  return cursorParameters.find((names) => names.every((name) => name in (query?.shape ?? {})));
}

/** The errors after which the same request may succeed. */
export function getTransientCodes(): readonly ErrorCode[] {
  return ErrorCode.options.filter((code) => ['with_backoff', 'after_retry_after'].includes(errorEntry(code).retry));
}
