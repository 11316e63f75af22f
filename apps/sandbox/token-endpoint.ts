import { sandboxClient } from './company.ts';
import type { Consents, Grant } from './consents.ts';
import { formOf, json, type Reply, type SandboxRequest } from './route.ts';

/** A token endpoint according to RFC 6749, with refresh tokens that are rotated at every use. */
export interface TokenEndpointTraits {
  readonly of: string;
  readonly accessPrefix: string;
  readonly accessMs: number;
  readonly refreshPrefix: string;
  readonly refreshMs: number;
  /** Fields that the company adds to access_token and refresh_token. */
  readonly answer: (grant: Grant) => Readonly<Record<string, unknown>>;
  readonly refused?: (error: string, description: string) => Reply;
}

export function answerToken(request: SandboxRequest, consents: Consents, traits: TokenEndpointTraits): Reply {
  const form = readForm(request);
  const refused =
    traits.refused ??
    ((error, error_description) => json(error === 'invalid_client' ? 401 : 400, { error, error_description }));
  if (!isClient(request, form)) return refused('invalid_client', 'The client or its secret is not known.');
  const grant = redeem(form, consents, traits.of);
  if (grant === undefined) return refused('unsupported_grant_type', 'This grant type is not served.');
  if (typeof grant === 'string') return refused('invalid_grant', `The grant is ${grant}.`);
  return json(200, {
    access_token: consents.token(grant, 'access', traits.accessPrefix, traits.accessMs),
    refresh_token: consents.token(grant, 'refresh', traits.refreshPrefix, traits.refreshMs),
    token_type: 'bearer',
    ...traits.answer(grant),
  });
}

/** Some companies also accept JSON. */
function readForm(request: SandboxRequest): URLSearchParams {
  if (!(request.headers['content-type'] ?? '').includes('json')) return formOf(request);
  return new URLSearchParams(JSON.parse(request.body) as Record<string, string>);
}

function redeem(form: URLSearchParams, consents: Consents, of: string): Grant | string | undefined {
  switch (form.get('grant_type')) {
    case 'authorization_code':
      return consents.redeem(form.get('code') ?? '', {
        clientId: sandboxClient.id,
        redirectUri: form.get('redirect_uri') ?? '',
        codeVerifier: form.get('code_verifier') ?? undefined,
      });
    case 'refresh_token':
      return consents.use(form.get('refresh_token') ?? '', of);
    default:
      return undefined;
  }
}

/** Client credentials are in the body or in a header; Stripe uses the secret key with an empty password. */
function isClient({ headers }: SandboxRequest, form: URLSearchParams): boolean {
  const basic = /^Basic (.+)$/i.exec(headers.authorization ?? '')?.[1];
  if (basic === undefined) {
    return form.get('client_id') === sandboxClient.id && form.get('client_secret') === sandboxClient.secret;
  }
  const parts = Buffer.from(basic, 'base64').toString('utf8').split(':').map(decodeURIComponent);
  return parts.includes(sandboxClient.secret);
}
