import { type ErrorCode, errorEntry } from '@tributary/contract/errors.ts';
import { links } from '@tributary/contract/links.ts';
import { asOAuthError } from '@tributary/contract/oauth-errors.ts';
import { Refusal } from './refusal.ts';

export interface ErrorBody {
  readonly status: number;
  readonly code: ErrorCode;
  readonly body: { readonly error: unknown };
  readonly headers: Readonly<Record<string, string>>;
}

/** The only place that turns a refusal into a response. The response contains only the refusal's public part. */
export function renderError(error: unknown, requestId: string, baseUrl: string): ErrorBody {
  const refusal = error instanceof Refusal ? error : new Refusal('internal_error', internalMessage);
  const status = errorEntry(refusal.code).status;
  return {
    status,
    code: refusal.code,
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

/** The same in OAuth format, for OAuth clients. */
export function renderOAuthError(error: unknown, requestId: string, baseUrl: string): ErrorBody {
  const refusal = error instanceof Refusal ? error : new Refusal('internal_error', internalMessage);
  const { code, headers, fields, message } = refusal;
  const oauthError = asOAuthError(code, errorEntry(code).status, (fields as { field?: unknown }).field);
  const body = {
    error: oauthError.error,
    error_description: message,
    error_uri: docsUrl(baseUrl, code),
    code,
    request_id: requestId,
  };
  return { status: oauthError.status, code, headers, body };
}

const internalMessage = 'Something broke on our side. Nothing of yours is wrong; tell us the request_id if it stays.';

export const docsUrl = (baseUrl: string, code: ErrorCode): string => links.errorDocs(baseUrl, code);
