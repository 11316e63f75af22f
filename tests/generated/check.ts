import { ErrorCode, errorEnvelope, OAuthErrorBody, RequestId, type Route, refusalsOf } from '@tributary/contract';
import { z } from 'zod';

/** A response as the client received it. */
export interface ReceivedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

export interface Fault {
  readonly kind: 'server_error' | 'off_schema';
  readonly what: string;
}

/** Error codes that may occur before a request is matched to a route. */
const codesWithoutRoute: readonly ErrorCode[] = [
  'not_found',
  'invalid_request',
  'payload_too_large',
  'rate_limit_exceeded',
];

/**
 * Finds the fault of a response, if any: it must match its route's declaration or be an error that the route may return. The collector sends a
 * request id to browsers only with errors. Requests that are not valid HTTP never reach the collector: Node rejects them without a body.
 */
export function faultOf(
  method: string,
  response: ReceivedResponse,
  route: Route | undefined,
  { isForBrowsers = false } = {},
): Fault | undefined {
  const { status, body } = response;
  // A change that was made but not yet passed on to every system is no fault, if the route declares this error.
  const isLate = status === 502 && codeIn(body) === 'payment_assignment_incomplete';
  // No provider is configured here, so a 501 is no fault if the route declares it; offSchema checks that below.
  const hasNotImplementedCode =
    method === 'HEAD'
      ? route !== undefined && refusalsOf(route).includes('not_implemented')
      : codeIn(body) === 'not_implemented';
  const isUnconfigured = status === 501 && hasNotImplementedCode;
  if (status >= 500 && !isLate && !isUnconfigured) return { kind: 'server_error', what: `${status} ${codeIn(body)}` };
  const isBare = response.headers['x-request-id'] === undefined;
  if (isForBrowsers && isBare && (status < 300 || body === '')) {
    const what =
      route && status < 300 ? issueOf(route.answers[status]?.schema ?? z.never(), body || undefined) : undefined;
    return what === undefined ? undefined : { kind: 'off_schema', what: `${status}: ${what}` };
  }
  const what = offSchema(method, response, route);
  return what === undefined ? undefined : { kind: 'off_schema', what: `${status}: ${what}` };
}

function offSchema(
  method: string,
  { status, headers, body }: ReceivedResponse,
  route: Route | undefined,
): string | undefined {
  const requestId = headers['x-request-id'];
  if (!RequestId.safeParse(requestId).success) return 'no x-request-id';
  // There is no body to check: Node sends none to HEAD, and OPTIONS with 204 answers a preflight request of a browser.
  if (method === 'HEAD' || (method === 'OPTIONS' && status === 204)) return undefined;
  const declared = route?.answers[status];
  if (declared && status === 204) return body === '' ? undefined : 'has a body';
  if (declared?.contentType && !declared.contentType.startsWith('application/json')) {
    return issueOf(declared.schema, body);
  }
  if (!String(headers['content-type']).startsWith('application/json')) return `sent as ${headers['content-type']}`;
  const json = parsed(body);
  if (json === undefined) return 'not JSON';
  if (declared) return issueOf(declared.schema, json);
  if (route?.errors === 'oauth') return oauthFault(json, status, requestId, refusalsOf(route));
  const code = ErrorCode.safeParse((json as { error?: { code?: unknown } }).error?.code).data;
  if (!code) return 'neither declared nor an error';
  const mayBe = route ? refusalsOf(route) : codesWithoutRoute;
  if (!mayBe.includes(code)) return `${code}, which ${route?.id ?? 'no route'} does not declare`;
  const { error } = json as { error: { status: number; request_id: string } };
  if (error.status !== status) return `${code} says status ${error.status}`;
  if (error.request_id !== requestId) return 'two request ids';
  return issueOf(envelopeOf(code), json);
}

function oauthFault(json: unknown, status: number, requestId: unknown, mayBe: readonly ErrorCode[]) {
  const { success, data } = OAuthErrorBody.safeParse(json);
  if (!success) return 'neither declared nor an error of OAuth';
  if (!mayBe.includes(data.code)) return `${data.code}, which is not declared`;
  if (data.request_id !== requestId) return 'two request ids';
  return status === 401 && data.error !== 'invalid_client' ? `${data.error} as 401` : undefined;
}

const envelopes = new Map<ErrorCode, z.ZodType>();
function envelopeOf(code: ErrorCode): z.ZodType {
  const envelope = envelopes.get(code) ?? errorEnvelope(code);
  envelopes.set(code, envelope);
  return envelope;
}

function issueOf(schema: z.ZodType, value: unknown): string | undefined {
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  return issue && `${issue.path.join('.')} ${issue.message}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const codeIn = (body: string) => /"code":"(\w+)"/.exec(body)?.[1] ?? 'without a code';

/** Whether method and path match the route, so that the response must come from the route and not from the code before it. */
export function isAt({ method, path }: Route, request: { readonly method: string; readonly url: string }): boolean {
  const [address = ''] = request.url.split(/[?#]/, 1);
  const parts = address.split('/');
  const wanted = path.split('/');
  return (
    request.method === method &&
    parts.length === wanted.length &&
    wanted.every((name, index) => name === parts[index] || (name.startsWith('{') && isOneSegment(parts[index] ?? '')))
  );
}

/** Not empty, not too long for the router, not "..", which clients resolve, and validly escaped. */
function isOneSegment(text: string): boolean {
  if (text === '' || text.length > 500 || /^(\.|%2e){1,2}$/i.test(text) || /[\\\s]/.test(text)) return false;
  try {
    return decodeURIComponent(text) !== '';
  } catch {
    return false;
  }
}
