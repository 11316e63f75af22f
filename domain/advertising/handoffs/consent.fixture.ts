import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { asProvider, type Call, type Provider, ProviderFault, type Providers } from '@tributary/providers';
import type { HandoffProvider, HandoffReason } from '@tributary/vocabulary';
import { z } from 'zod';

const Credentials = z.object({ token: z.string() });

interface Grant {
  readonly accounts: readonly string[];
  readonly challenge: string | undefined;
  readonly redirectUri: string;
}

/**
 * A fake provider with a consent page and a token endpoint over HTTP. Each code is accepted once, with its verifier.
 */
export class Company {
  url = '';
  /** Error responses, one for each call to an endpoint. */
  faults: { path: '/token' | '/accounts'; status: number }[] = [];
  /** The codes that were exchanged. */
  readonly exchangedCodes = new Set<string>();
  /** Delays all responses until it resolves. */
  gate: Promise<void> = Promise.resolve();
  readonly #codes = new Map<string, Grant>();
  readonly #tokens = new Map<string, Grant>();
  readonly #server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://company');
    const answer = (status: number, body: unknown) => response.writeHead(status).end(JSON.stringify(body));
    await this.gate;
    const fault = this.faults.findIndex(({ path }) => path === pathname);
    if (fault >= 0) return answer(this.faults.splice(fault, 1)[0]?.status ?? 500, {});
    if (pathname === '/accounts') return answer(200, this.#tokens.get(searchParams.get('token') ?? '')?.accounts ?? []);
    const code = searchParams.get('code') ?? '';
    const grant = this.#codes.get(code);
    const verifier = searchParams.get('verifier') ?? '';
    const isProven = grant?.challenge === undefined || sha256(verifier) === grant.challenge;
    if (!grant || !isProven || grant.redirectUri !== searchParams.get('redirect_uri')) return answer(400, {});
    this.#codes.delete(code);
    this.exchangedCodes.add(code);
    const token = `token-${randomBytes(8).toString('hex')}`;
    this.#tokens.set(token, grant);
    return answer(200, { token });
  });

  async open(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Approves the consent and shares these accounts. Resolves to the callback URL. */
  approve(consentUrl: string, ...accounts: readonly string[]): string {
    const parameters = new URL(consentUrl).searchParams;
    const code = randomBytes(12).toString('hex');
    const redirectUri = parameters.get('redirect_uri') ?? '';
    this.#codes.set(code, { accounts, challenge: parameters.get('challenge') ?? undefined, redirectUri });
    return this.answer(consentUrl, { code });
  }

  /** Builds a callback URL with another response. */
  answer(consentUrl: string, query: Readonly<Record<string, string>>): string {
    const parameters = new URL(consentUrl).searchParams;
    const back = new URL(parameters.get('redirect_uri') ?? '');
    back.search = new URLSearchParams({ ...query, state: parameters.get('state') ?? '' }).toString();
    return back.href;
  }

  async #call(call: Call, path: string, query: Readonly<Record<string, string>>) {
    const { status, text } = await call.send({
      method: 'GET',
      url: `${this.url}${path}?${new URLSearchParams(query)}`,
    });
    if (status === 200) return JSON.parse(text);
    throw new ProviderFault({ verdict: status >= 500 ? 'wait' : 'refused', code: `http_${status}`, says: 'no' });
  }

  provider(channel: HandoffProvider, usesPkce: boolean): Provider {
    return asProvider<z.infer<typeof Credentials>, never>({
      facts: { channel, name: 'Compañía & Co' },
      credentials: Credentials,
      connect: {
        usesPkce,
        authorizeUrl: ({ redirectUri, state, codeChallenge }) =>
          `${this.url}/consent?${new URLSearchParams({ redirect_uri: redirectUri, state, ...(codeChallenge && { challenge: codeChallenge }) })}`,
        readCallback: ({ code, error }): { code: string } | { reason: HandoffReason } => {
          if (code) return { code };
          if (error === 'access_denied') return { reason: 'user_cancelled' };
          return { reason: error === 'invalid_scope' ? 'provider_denied' : 'provider_error' };
        },
        exchange: ({ code, redirectUri, codeVerifier = '' }, call) =>
          this.#call(call, '/token', { code, redirect_uri: redirectUri, verifier: codeVerifier }),
        candidates: async ({ token }, call) => {
          const accounts: string[] = await this.#call(call, '/accounts', { token });
          return accounts.map((id) => ({
            externalId: id,
            name: id.startsWith('unnamed') ? '' : `Account ${id}`,
            granted: ['read', 'write'],
            details: { region: `Region of ${id}` },
          }));
        },
      },
    });
  }

  /** Uses PKCE for `search_ads` only; `payments_b` has no provider. */
  providers(): Providers {
    const registered = new Map<string, Provider>([
      ['social_ads', this.provider('social_ads', false)],
      ['search_ads', this.provider('search_ads', true)],
      ['crm_a', this.provider('crm_a', false)],
      ['payments_a', this.provider('payments_a', false)],
    ]);
    return { of: (channel) => registered.get(channel) };
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');
