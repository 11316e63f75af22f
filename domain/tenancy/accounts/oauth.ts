import { links, McpScope } from '@tributary/contract';
import type { PageEndpoint } from '@tributary/pages';
import type { Postgres } from '@tributary/postgres';
import { limits } from '@tributary/vocabulary';
import type { Accounts } from './accounts.ts';
import { canServeAssistants, chosenProfile, consentPath, isAuthRefusal } from './auth.ts';
import { type CodePage, codePage, consentPage, problemPage, signInPage, signInPath } from './consent-pages.ts';
import { findAllMemberships } from './memberships.ts';
import type { Attempt } from './records.ts';
import { cacheResponse, clientName, RegisteredClients } from './registered-clients.ts';
import { readRegistration } from './registration.ts';
import { sessionAuthenticator } from './session.ts';

export interface OAuthOptions {
  readonly baseUrl: string;
  readonly postgres: Postgres;
  readonly accounts: Accounts;
  readonly now: () => Date;
  /** Whether a form was sent by a page of this server. */
  readonly isFromOurPages: (headers: Headers) => boolean;
}

/** The OAuth 2.1 endpoints for assistants and the consent pages. No other endpoint of better-auth is served. */
export function oauthEndpoints(options: OAuthOptions): PageEndpoint[] {
  const { accounts, baseUrl } = options;
  if (!canServeAssistants(baseUrl)) return [];
  const pass = async (request: Request) => (await accounts.auth()).handler(request);
  const consent = new ConsentFlow(options);
  const clients = new RegisteredClients(options.postgres, links.assistantConsent(baseUrl));
  const get = (path: string, handle: PageEndpoint['handle']) =>
    ({ method: 'GET', path, allowance: 'public', maxBytes: formBytes, handle: withOAuthErrors(handle) }) as const;
  const post = (path: string, handle: PageEndpoint['handle']) =>
    ({ method: 'POST', path, allowance: 'token', maxBytes: formBytes, handle: withOAuthErrors(handle) }) as const;
  return [
    get('/.well-known/oauth-authorization-server', cacheResponse(pass)),
    get('/.well-known/oauth-protected-resource', cacheResponse(pass)),
    get('/.well-known/oauth-protected-resource/mcp', cacheResponse(pass)),
    // Rate-limited, because better-auth is slow for registered clients and registration is open.
    {
      ...get(
        '/oauth2/authorize',
        clients.checkQuery((request) => pass(withScope(request))),
      ),
      allowance: 'token',
    },
    { ...post('/oauth2/token', clients.checkForm(pass)), maxBytes: credentialBytes },
    { ...post('/oauth2/revoke', clients.checkForm(pass)), maxBytes: credentialBytes },
    {
      ...post('/oauth2/register', async (request) => {
        const registration = await readRegistration(request, options.postgres, options.now());
        return registration instanceof Response ? registration : pass(registration);
      }),
      allowance: 'registration',
      maxBytes: limits.assistants.registrationBytes,
    },
    get(consentPath, (request) => consent.show(request)),
    post(consentPath, (request, attempt) => consent.decide(request, attempt)),
    post(signInPath, (request, attempt) => consent.signIn(request, attempt)),
  ];
}

/** The forms contain the assistant's whole authorization request. */
const formBytes = 32 * 1_024;
/** Fits a code or token, the client credentials and the redirect URI. */
const credentialBytes = 8 * 1_024;

/** Returns refusals in the OAuth error format, which OAuth clients understand. */
function withOAuthErrors(handle: PageEndpoint['handle']): PageEndpoint['handle'] {
  return async (request, attempt) => {
    if (await containsUnstorable(request))
      return Response.json({ error: 'invalid_request', error_description: unstorableMessage }, { status: 400 });
    try {
      return await handle(request, attempt);
    } catch (error) {
      if (!isAuthRefusal(error)) throw error;
      const { statusCode: status, body = { error: 'invalid_request' } } = error;
      return Response.json(body, { status, headers: new Headers(error.headers) });
    }
  };
}

const unstorableMessage = 'The request contains a NUL character or an unpaired surrogate, which cannot be stored.';
/** Matches any level of escaping, because the forms of the consent pages contain a whole query string. */
const nul = /%(?:25)*00|\0/;
/** JSON escapes of NUL and of surrogates. */
const unstorable = /\\u(?:0000|d[89a-f])/;

/** better-auth queries PostgreSQL with unvalidated input, and PostgreSQL rejects such characters with an error. */
async function containsUnstorable(request: Request): Promise<boolean> {
  const [, credentials = ''] = /^Basic\s+(\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? [];
  if (nul.test(Buffer.from(credentials, 'base64').toString('latin1'))) return true;
  if (nul.test(new URL(request.url).search)) return true;
  if (request.method === 'GET') return false;
  const body = await request.clone().text();
  if (nul.test(body)) return true;
  return unstorable.test(JSON.stringify(parsed(body)) ?? '');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A request without a scope gets the least, and one that requests writing gets reading as well. */
function withScope(request: Request): Request {
  const url = new URL(request.url);
  const scopes = url.searchParams.get('scope')?.split(' ').filter(Boolean) ?? [];
  if (scopes.includes('mcp:read') || (scopes.length > 0 && !scopes.includes('mcp:write'))) return request;
  url.searchParams.set('scope', [...(['mcp:read'] satisfies McpScope[]), ...scopes].join(' '));
  return new Request(url, request);
}

/** The consent page and its forms. */
class ConsentFlow {
  readonly #options: OAuthOptions;
  readonly #authenticate: ReturnType<typeof sessionAuthenticator>;

  constructor(options: OAuthOptions) {
    this.#options = options;
    this.#authenticate = sessionAuthenticator(options.postgres, options.accounts);
  }

  async show(request: Request): Promise<Response> {
    const query = new URL(request.url).search.slice(1);
    const params = new URLSearchParams(query);
    const client = await this.#clientName(params.get('client_id'));
    const returnTo = URL.parse(params.get('redirect_uri') ?? '');
    if (client === undefined || !returnTo) return invalidRequestPage();
    const userId = await this.#userOf(request);
    if (!userId) return signInPage({ query, client });
    const memberships = await this.#memberships(userId);
    return consentPage({ query, client, returnTo, requestedScopes: scopesIn(params), memberships });
  }

  async signIn(request: Request, attempt: Attempt): Promise<Response> {
    const form = await this.#form(request);
    if (!form) return invalidRequestPage();
    const { accounts } = this.#options;
    // Re-encoded, because it becomes part of a header, which must not contain line breaks.
    const query = new URLSearchParams(form.get('query') ?? '').toString();
    const client = (await this.#clientName(new URLSearchParams(query).get('client_id'))) ?? 'An assistant';
    const challenge = form.get('challenge');
    if (challenge) return this.#secondStep({ query, client, challenge }, form.get('code') ?? '', attempt);
    const email = (form.get('email') ?? '').trim().toLowerCase();
    await accounts.attempts.take(email, attempt.addressHash);
    const signedIn = await accounts.signIn(email, form.get('password') ?? '');
    if (signedIn) {
      await accounts.attempts.right(email, attempt.addressHash);
      if ('challenge' in signedIn) return codePage({ query, client, challenge: signedIn.challenge });
      await accounts.records.signedIn(signedIn.user.id, attempt);
      return redirect(`${consentPath}?${query}`, { 'set-cookie': signedIn.setCookie });
    }
    await accounts.records.wrongPassword('signIn', { email }, attempt);
    return signInPage({ query, client, problem: 'The e-mail address or the password is wrong.' });
  }

  async #secondStep(page: CodePage, code: string, attempt: Attempt): Promise<Response> {
    const { accounts } = this.#options;
    if (!/^[\w.%~+=-]{20,500}$/.test(page.challenge)) return invalidRequestPage();
    const signedIn = await accounts.secondFactor.complete(page.challenge, code.trim());
    if (!signedIn) {
      await accounts.records.wrongCode('completeSignIn', attempt);
      return codePage({ ...page, problem: 'The code is wrong, or signing in has to begin again.' });
    }
    await accounts.records.signedIn(signedIn.user.id, attempt);
    return redirect(`${consentPath}?${page.query}`, { 'set-cookie': signedIn.setCookie });
  }

  /** Checks the selected profile. better-auth verifies the signed request, stores the consent and issues the code. */
  async decide(request: Request, attempt: Attempt): Promise<Response> {
    const userId = await this.#userOf(request);
    const form = userId && (await this.#form(request));
    if (!form || !userId) return invalidRequestPage();
    const query = form.get('query') ?? '';
    if (form.get('decision') !== 'allow') return this.#answer(request, { accept: false, oauth_query: query });
    const profileId = form.get('profile_id') ?? '';
    const memberships = await this.#memberships(userId);
    const isMember = memberships.some(({ profiles }) => profiles.some(({ id }) => id === profileId));
    if (!isMember) return problemPage(404, 'There is no such profile among yours.');
    const params = new URLSearchParams(query);
    const write = form.get('write') === 'yes' && scopesIn(params).includes('mcp:write');
    const scopes = write ? ['mcp:read', 'mcp:write'] : ['mcp:read'];
    const decision = { accept: true, scope: scopes.join(' '), oauth_query: query };
    const answered = await chosenProfile.run(profileId, () => this.#answer(request, decision));
    const allowed = { userId, clientId: params.get('client_id') ?? '', profileId, scopes };
    if (answered.status === 303) await this.#options.accounts.records.allowedAssistant(allowed, attempt);
    return answered;
  }

  async #answer(request: Request, decision: object): Promise<Response> {
    const { accounts, baseUrl } = this.#options;
    const auth = await accounts.auth();
    const response = await auth.handler(
      new Request(`${baseUrl}/oauth2/consent`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          origin: new URL(baseUrl).origin,
          cookie: request.headers.get('cookie') ?? '',
        },
        body: JSON.stringify(decision),
      }),
    );
    const { url } = (await response.json()) as { url?: string };
    return url ? redirect(url) : invalidRequestPage();
  }

  /** Accepts forms only from own pages. Otherwise another site could give consent on behalf of the signed-in user. */
  async #form(request: Request): Promise<URLSearchParams | undefined> {
    if (!this.#options.isFromOurPages(request.headers)) return undefined;
    return new URLSearchParams(await request.text());
  }

  async #userOf(request: Request): Promise<string | undefined> {
    const credentials = {
      cookie: request.headers.get('cookie') ?? undefined,
      profileId: undefined,
      workspaceId: undefined,
    };
    return (await this.#authenticate(credentials, this.#options.now()))?.userId;
  }

  #memberships(userId: string) {
    return findAllMemberships(this.#options.postgres.allShards, userId);
  }

  #clientName(clientId: string | null): Promise<string | undefined> {
    return clientName(this.#options.postgres, clientId);
  }
}

const scopesIn = (query: URLSearchParams): McpScope[] => {
  const requested = query.get('scope')?.split(' ') ?? [];
  return McpScope.options.filter((scope) => requested.includes(scope));
};

const invalidRequestPage = () =>
  problemPage(400, 'This request cannot be read, or is too old. Start again from your assistant.');

const redirect = (location: string, headers: Record<string, string> = {}) =>
  new Response(null, { status: 303, headers: { location, ...headers } });
