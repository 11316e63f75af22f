import type { ErrorCode, ErrorFields } from '@tributary/contract';

/**
 * `no_answer`: no response arrived. `unreadable_answer`: the response did not come from Tributary, for example the error page of
 * a proxy.
 */
export type TributaryErrorCode = ErrorCode | 'no_answer' | 'unreadable_answer';

type FieldsOf<Code extends TributaryErrorCode> = [TributaryErrorCode] extends [Code]
  ? Readonly<Record<string, unknown>>
  : Code extends ErrorCode
    ? Readonly<ErrorFields<Code>>
    : Record<never, never>;

export interface TributaryErrorDetails<Code extends TributaryErrorCode> {
  readonly code: Code;
  readonly message: string;
  readonly status: number;
  readonly requestId?: string | undefined;
  readonly docsUrl?: string | undefined;
  readonly fields?: FieldsOf<Code>;
  readonly retryAfter?: number | undefined;
  readonly cause?: unknown;
}

/** Every error of a call. Branch on `code`; `is` also narrows the type of `fields`. */
export class TributaryError<Code extends TributaryErrorCode = TributaryErrorCode> extends Error {
  override readonly name = 'TributaryError';
  readonly code: Code;
  /** The HTTP status; 0 if no response arrived. */
  readonly status: number;
  /** Identifies the request in the server's logs. */
  readonly requestId: string | undefined;
  /** The documentation page of this code. */
  readonly docsUrl: string | undefined;
  /** Further fields of this error code. */
  readonly fields: FieldsOf<Code>;
  /** Seconds to wait before retrying, if the server sent Retry-After. */
  readonly retryAfter: number | undefined;

  constructor({ code, message, status, requestId, docsUrl, fields, retryAfter, cause }: TributaryErrorDetails<Code>) {
    super(message, { cause });
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    this.docsUrl = docsUrl;
    this.fields = fields ?? ({} as FieldsOf<Code>);
    this.retryAfter = retryAfter;
  }

  is<Wanted extends TributaryErrorCode>(code: Wanted): this is TributaryError<Wanted> {
    return (this.code as TributaryErrorCode) === code;
  }
}

/** Builds the error from a response that is not a success. */
export async function readError(response: Response): Promise<TributaryError> {
  const text = await response.text();
  const error = getErrorFields(parseJson(text));
  if (typeof error?.code !== 'string' || typeof error.message !== 'string') return unreadableAnswer(response, text);
  const { code, message, status: _status, request_id: requestId, docs_url: docsUrl, ...fields } = error;
  return new TributaryError<TributaryErrorCode>({
    // A newer server may send codes that this client does not know; they are passed through.
    code: code as TributaryErrorCode,
    message: message as string,
    status: response.status,
    requestId: requestId as string,
    docsUrl: docsUrl as string,
    fields,
    retryAfter: parseRetryAfter(response.headers.get('retry-after')),
  });
}

/** The error fields of a response. The token endpoint uses the OAuth format, with our code beside it. */
function getErrorFields(answer: unknown): Record<string, unknown> | undefined {
  const { error, ...oauth } = (answer ?? {}) as Record<string, unknown>;
  if (typeof error !== 'string') return error as Record<string, unknown> | undefined;
  const { code, error_description: message, error_uri: docs_url, request_id } = oauth;
  return { code, message, docs_url, request_id };
}

/** The error for a response that no Tributary server sends, but a proxy in between. */
export function unreadableAnswer({ status, headers }: Response, text: string): TributaryError {
  return new TributaryError<TributaryErrorCode>({
    code: 'unreadable_answer',
    message: `The server answered ${status}, but not in a way that Tributary does.`,
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfter: parseRetryAfter(headers.get('retry-after')),
    cause: text.slice(0, 1_000),
  });
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parses seconds or an HTTP date. */
function parseRetryAfter(value: string | null): number | undefined {
  if (!value) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : Math.ceil((Date.parse(value) - Date.now()) / 1_000);
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}
