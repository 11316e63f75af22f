import { type ErrorCode, errorEntry } from '@tributary/contract/errors.ts';
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
