import {
  allowInsecureRequests,
  type ClientAuth,
  customFetch,
  genericTokenEndpointRequest,
  processGenericTokenEndpointResponse,
} from 'oauth4webapi';
import { z } from 'zod';
import type { Call, Connect, ProviderAnswer } from './provider.ts';
import { ProviderFault, type Verdict } from './provider-fault.ts';
import { readAs, readJson } from './read-answer.ts';

export interface TokenEndpoint {
  readonly url: string;
  readonly clientId: string;
  /** Whether the client authenticates in the body or in a header. */
  readonly auth: ClientAuth;
}

/** Requests tokens from a token endpoint (RFC 6749). */
export async function requestToken<T>(
  endpoint: TokenEndpoint,
  grantType: 'authorization_code' | 'refresh_token',
  parameters: Readonly<Record<string, string>>,
  schema: z.ZodType<T>,
  call: Call,
): Promise<T> {
  const server = { issuer: new URL(endpoint.url).origin, token_endpoint: endpoint.url };
  const client = { client_id: endpoint.clientId };
  let answer: ProviderAnswer | undefined;
  const send = async (url: string, init: { method: string; headers: Record<string, string>; body?: unknown }) => {
    answer = await call.send({ method: 'POST', url, headers: init.headers, body: String(init.body ?? '') });
    const headers = Object.entries(answer.headers).flatMap(([name, value]) => (value ? [[name, value]] : []));
    return new Response(answer.text, { status: answer.status, headers: Object.fromEntries(headers) });
  };
  try {
    const response = await genericTokenEndpointRequest(
      server,
      client,
      endpoint.auth,
      grantType,
      { ...parameters },
      {
        [customFetch]: send,
        // Plain HTTP is restricted by the outbound guard to the hosts of a sandbox.
        [allowInsecureRequests]: endpoint.url.startsWith('http:'),
        signal: call.signal,
      },
    );
    return readAs(schema, await processGenericTokenEndpointResponse(server, client, response), 'The token');
  } catch (error) {
    if (error instanceof ProviderFault || !answer) throw error;
    throw tokenFault(answer);
  }
}

const Refused = z.object({
  error: z.string().optional().catch(undefined),
  error_description: z.string().optional().catch(undefined),
  message: z.string().optional().catch(undefined),
});

/** These errors concern the app itself; another consent would not help. */
const appErrors = ['invalid_client', 'unauthorized_client', 'unsupported_grant_type', 'invalid_scope'];

function tokenFault({ status, text }: ProviderAnswer): ProviderFault {
  const errorBody = Refused.safeParse(readJson(text)).data ?? {};
  const code = errorBody.error ?? `token_${status}`;
  const says = errorBody.error_description ?? errorBody.message ?? code;
  // A success response that cannot be parsed may have used up the refresh token.
  if (status < 300) return new ProviderFault({ verdict: 'wait', code, says, mayHaveHappened: true });
  return new ProviderFault({ verdict: verdictOfToken(status, code), code, says });
}

function verdictOfToken(status: number, code: string): Verdict {
  if (status === 429 || status >= 500) return 'wait';
  return appErrors.includes(code) ? 'refused' : 'reconnect';
}

/** Interprets the query of a callback according to RFC 6749. */
export function readOAuthCallback(query: Readonly<Record<string, string>>): ReturnType<Connect<never>['readCallback']> {
  const { code, error } = query;
  if (error === 'access_denied') return { reason: 'user_cancelled' };
  if (error === undefined && code) return { code };
  return { reason: error !== undefined && denials.includes(error) ? 'provider_denied' : 'provider_error' };
}

const denials = [
  'invalid_scope',
  'unauthorized_client',
  'redirect_uri_mismatch',
  'org_internal',
  'admin_policy_enforced',
];
