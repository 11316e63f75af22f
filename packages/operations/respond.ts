import { type ErrorCode, errorEntry } from '@tributary/contract';
import { isAway } from '@tributary/postgres';
import { Refusal } from './refusal.ts';

export interface ErrorBody {
  readonly status: number;
  readonly body: { readonly error: Record<string, unknown> };
  readonly headers: Readonly<Record<string, string>>;
}

/** The one place where a refusal becomes an answer. What the caller reads is never more than the refusal's public part. */
export function renderError(error: unknown, requestId: string, baseUrl: string): ErrorBody {
  const refusal = error instanceof Refusal ? error : new Refusal('internal_error', internalMessage);
  const status = errorEntry(refusal.code).status;
  return {
    status,
    headers: refusal.headers,
    body: {
      error: {
        code: refusal.code,
        message: refusal.message,
        status,
        request_id: requestId,
        docs_url: docsUrl(baseUrl, refusal.code),
        ...refusal.fields,
      },
    },
  };
}

const internalMessage = 'Something broke on our side. Nothing of yours is wrong; tell us the request_id if it stays.';

export const docsUrl = (baseUrl: string, code: ErrorCode): string => `${baseUrl}/docs/errors/${code}`;

/** A connection to an engine that is gone, as a refusal that says when to come again. Any other fault stays what it is. */
export function awayAsRefusal(error: unknown): unknown {
  if (error instanceof Refusal || !isEngineAway(error)) return error;
  return new Refusal('service_unavailable', 'A part of the service is away for a moment. Send it again shortly.', {
    internal: `engine away: ${(error as Error).message}`,
    headers: { 'retry-after': '2' },
  });
}

/** ClickHouse has looked at its own causes; its class is not imported for the sake of one word. */
const isEngineAway = (error: unknown): boolean =>
  (error as Partial<Error>).name === 'ClickHouseFailure'
    ? (error as { transient?: boolean }).transient === true
    : isAway(error);
