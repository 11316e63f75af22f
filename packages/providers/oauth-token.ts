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
  /** How the client shows who it is: in the body, or in a header. */
  readonly auth: ClientAuth;
}

/** Asks a token endpoint of RFC 6749 for tokens. */
export async function requestToken<T>(
  endpoint: TokenEndpoint,
  grantType: 'authorization_code' | 'refresh_token',
  parameters: Readonly<Record<string, string>>,
  schema: z.ZodType<T>,
  call: Call,
): Promise<T> {
  const server = { issuer: new URL(endpoint.url).origin, token_endpoint: endpoint.url };
  const client = { client_id: endpoint.clientId };
  let heard: ProviderAnswer | undefined;
  const send = async (url: string, asked: { method: string; headers: Record<string, string>; body?: unknown }) => {
    heard = await call.send({ method: 'POST', url, headers: asked.headers, body: String(asked.body ?? '') });
    const headers = Object.entries(heard.headers).flatMap(([name, value]) => (value ? [[name, value]] : []));
    return new Response(heard.text, { status: heard.status, headers: Object.fromEntries(headers) });
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
        // Plain HTTP gets no further than the guard, which knows the hosts of a sandbox.
        [allowInsecureRequests]: endpoint.url.startsWith('http:'),
        signal: call.signal,
      },
    );
    return readAs(schema, await processGenericTokenEndpointResponse(server, client, response), 'The token');
  } catch (error) {
    if (error instanceof ProviderFault || !heard) throw error;
    throw tokenFault(heard);
  }
}

const Refused = z.object({
  error: z.string().optional().catch(undefined),
  error_description: z.string().optional().catch(undefined),
  message: z.string().optional().catch(undefined),
});

/** That the app itself is not known cannot be mended by another consent. */
const ofTheApp = ['invalid_client', 'unauthorized_client', 'unsupported_grant_type', 'invalid_scope'];

function tokenFault({ status, text }: ProviderAnswer): ProviderFault {
  const said = Refused.safeParse(readJson(text)).data ?? {};
  const code = said.error ?? `token_${status}`;
  const says = said.error_description ?? said.message ?? code;
  // An answer that says yes and cannot be read may have used up the refresh token.
  if (status < 300) return new ProviderFault({ verdict: 'wait', code, says, mayHaveHappened: true });
  return new ProviderFault({ verdict: verdictOfToken(status, code), code, says });
}

function verdictOfToken(status: number, code: string): Verdict {
  if (status === 429 || status >= 500) return 'wait';
  return ofTheApp.includes(code) ? 'refused' : 'reconnect';
}

/** What the query of a callback means, as RFC 6749 words it. */
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
