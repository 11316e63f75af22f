import type { ErrorCode, ErrorFields } from '@tributary/contract';

/** `no_answer`: nothing came back. `unreadable_answer`: what came back was not ours, a proxy's page for example. */
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

/** Everything that can go wrong with a call. Branch on `code`; with `is`, the fields of that code are known too. */
export class TributaryError<Code extends TributaryErrorCode = TributaryErrorCode> extends Error {
  override readonly name = 'TributaryError';
  readonly code: Code;
  /** The HTTP status; 0 when nothing came back. */
  readonly status: number;
  /** Names the request in the server's logs. */
  readonly requestId: string | undefined;
  /** The page about this code. */
  readonly docsUrl: string | undefined;
  /** What the code carries besides. */
  readonly fields: FieldsOf<Code>;
  /** Seconds to wait before sending it again, where the server said so. */
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

/** Makes an error of an answer that is not a success. */
export async function errorOf(response: Response): Promise<TributaryError> {
  const text = await response.text();
  const error = fieldsIn(parseJson(text));
  if (typeof error?.code !== 'string' || typeof error.message !== 'string') return unreadable(response, text);
  const { code, message, status: _status, request_id: requestId, docs_url: docsUrl, ...fields } = error;
  return new TributaryError<TributaryErrorCode>({
    // A newer server may know more codes than this client; they come through as they are.
    code: code as TributaryErrorCode,
    message: message as string,
    status: response.status,
    requestId: requestId as string,
    docsUrl: docsUrl as string,
    fields,
    retryAfter: retryAfterOf(response.headers.get('retry-after')),
  });
}

/** What an answer says of the error. The token endpoint says it as OAuth does, beside our own code. */
function fieldsIn(answer: unknown): Record<string, unknown> | undefined {
  const { error, ...oauth } = (answer ?? {}) as Record<string, unknown>;
  if (typeof error !== 'string') return error as Record<string, unknown> | undefined;
  const { code, error_description: message, error_uri: docs_url, request_id } = oauth;
  return { code, message, docs_url, request_id };
}

/** An answer that no Tributary server gives: somebody in between did. */
export function unreadable({ status, headers }: Response, text: string): TributaryError {
  return new TributaryError<TributaryErrorCode>({
    code: 'unreadable_answer',
    message: `The server answered ${status}, but not in a way that Tributary does.`,
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfter: retryAfterOf(headers.get('retry-after')),
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

/** Seconds, or an HTTP date. */
function retryAfterOf(value: string | null): number | undefined {
  if (!value) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : Math.ceil((Date.parse(value) - Date.now()) / 1_000);
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}
