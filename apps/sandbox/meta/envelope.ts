import { createHmac } from 'node:crypto';
import { type CompanyDeps, sandboxClient } from '../company.ts';
import type { Grant } from '../consents.ts';
import { bearerOf, json, type Reply, type SandboxRequest } from '../route.ts';

export interface MetaError {
  readonly status?: number;
  readonly code: number;
  readonly subcode?: number;
  readonly message?: string;
  readonly userMessage?: string;
  readonly isTransient?: boolean;
  readonly blame?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** Meta's error envelope. `type` is OAuthException for nearly every error. */
export function metaError(error: MetaError): Reply {
  return json(
    error.status ?? 400,
    {
      error: {
        message: error.message ?? `(#${error.code}) The sandbox refuses.`,
        type: 'OAuthException',
        code: error.code,
        ...(error.subcode !== undefined && { error_subcode: error.subcode }),
        is_transient: error.isTransient ?? false,
        ...(error.userMessage !== undefined && { error_user_title: 'Sandbox', error_user_msg: error.userMessage }),
        ...(error.blame && { error_data: JSON.stringify({ blame_field_specs: [error.blame] }) }),
        fbtrace_id: 'Asandbox',
      },
    },
    error.headers,
  );
}

/** Parameters come in the query, in a form or in a JSON body. */
export function paramsOf(request: SandboxRequest): Readonly<Record<string, string>> {
  const params: Record<string, string> = Object.fromEntries(request.query);
  if (request.body === '') return params;
  if ((request.headers['content-type'] ?? '').includes('json')) {
    for (const [name, value] of Object.entries(JSON.parse(request.body) as Record<string, unknown>)) {
      params[name] = typeof value === 'string' ? value : JSON.stringify(value);
    }
    return params;
  }
  return { ...params, ...Object.fromEntries(new URLSearchParams(request.body)) };
}

export const tokenOf = (request: SandboxRequest): string => bearerOf(request) ?? paramsOf(request).access_token ?? '';

/** Wraps a handler so that it requires a valid token and the proof of the app's secret. */
export function withToken(
  deps: CompanyDeps,
  handle: (request: SandboxRequest, grant: Grant) => Reply,
): (request: SandboxRequest) => Reply {
  return (request) => {
    const token = tokenOf(request);
    const grant = deps.consents.find(token, 'access', 'meta');
    if (grant === 'expired') return metaError({ code: 190, subcode: 463, message: 'Session has expired.' });
    if (grant === 'revoked')
      return metaError({ code: 190, subcode: 458, message: 'The user has not authorized the app.' });
    if (typeof grant === 'string') return metaError({ code: 190, message: 'Invalid OAuth access token.' });
    const proof = createHmac('sha256', sandboxClient.secret).update(token).digest('hex');
    if (paramsOf(request).appsecret_proof !== proof) {
      return metaError({ code: 100, message: 'Invalid appsecret_proof provided in the API argument' });
    }
    return handle(request, grant);
  };
}

/** One page by cursor. `paging.next` is a complete URL including the token, as at Meta. */
export function pageOf<T>(
  deps: CompanyDeps,
  request: SandboxRequest,
  rows: readonly T[],
  say: (row: T) => unknown,
  also: object = {},
): Reply {
  const params = paramsOf(request);
  const limit = Math.max(1, Number(params.limit ?? 25));
  const from = params.after === undefined ? 0 : Number(Buffer.from(params.after, 'base64url').toString('utf8'));
  if (!Number.isSafeInteger(from)) return metaError({ code: 100, message: 'Invalid cursor' });
  const shown = rows.slice(from, from + limit);
  const cursor = (at: number) => Buffer.from(String(at)).toString('base64url');
  const next = new URL(deps.url() + request.path);
  for (const [name, value] of Object.entries(params)) next.searchParams.set(name, value);
  next.searchParams.set('access_token', tokenOf(request));
  next.searchParams.set('after', cursor(from + limit));
  return json(200, {
    ...also,
    data: shown.map(say),
    paging: {
      cursors: { before: cursor(from), after: cursor(from + shown.length) },
      ...(from + limit < rows.length && { next: next.href }),
    },
  });
}
