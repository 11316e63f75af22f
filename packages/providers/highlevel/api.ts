import { z } from 'zod';
import { ask, baseOf, type Heard, verdictOf } from '../ask.ts';
import type { Account, Call, ProviderAnswer } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import { readJson } from '../read-answer.ts';
import type { HighlevelCredentials } from './credentials.ts';

export interface HighlevelSettings {
  readonly clientId: string;
  readonly clientSecret: string;
  /** https://services.leadconnectorhq.com */
  readonly apiUrl: string;
  /** https://marketplace.gohighlevel.com */
  readonly dialogUrl: string;
  /** The `Version` header: 2021-07-28. */
  readonly apiVersion: string;
  /** PEM of the Ed25519 key that webhooks are signed with; undefined: none is taken. */
  readonly webhookPublicKey: string | undefined;
}

export type HighlevelApi = ReturnType<typeof createApi>;

const Token = z.object({ access_token: z.string() });

export function createApi(settings: HighlevelSettings) {
  const base = baseOf(settings.apiUrl);
  const headersFor = (token: string) => ({
    authorization: `Bearer ${token}`,
    accept: 'application/json',
    version: settings.apiVersion,
  });

  async function get<T>(
    path: string,
    params: Readonly<Record<string, string>>,
    schema: z.ZodType<T>,
    token: string,
    call: Call,
  ): Promise<Heard<T>> {
    const url = `${base}${path}?${new URLSearchParams(params)}`;
    return ask({ method: 'GET', url, headers: headersFor(token) }, schema, call, faultOf);
  }

  return {
    get,

    /** An agency's token reads no location: it is changed for the location's own, which nobody has to keep. */
    async tokenOf({ externalId, credentials }: Account<HighlevelCredentials>, call: Call): Promise<string> {
      if (credentials.userType === 'Location') return credentials.accessToken;
      const headers = { ...headersFor(credentials.accessToken), 'content-type': 'application/x-www-form-urlencoded' };
      const body = new URLSearchParams({ companyId: credentials.companyId, locationId: externalId }).toString();
      const request = { method: 'POST', url: `${base}/oauth/locationToken`, headers, body } as const;
      return (await ask(request, Token, call, faultOf)).body.access_token;
    },

    async uninstall({ externalId, credentials }: Account<HighlevelCredentials>, call: Call): Promise<void> {
      const headers = { ...headersFor(credentials.accessToken), 'content-type': 'application/json' };
      const body = JSON.stringify({ companyId: credentials.companyId, locationId: externalId });
      const url = `${base}/marketplace/app/${encodeURIComponent(appIdOf(settings.clientId))}/installations`;
      await ask({ method: 'DELETE', url, headers, body }, z.unknown(), call, faultOf);
    },
  };
}

/** The client's id is the app's with the key's behind a dash. */
export const appIdOf = (clientId: string): string => clientId.split('-')[0] as string;

const Refusal = z.object({
  message: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .catch(undefined),
});

function faultOf({ status, headers, text }: ProviderAnswer): ProviderFault {
  const { message } = Refusal.safeParse(readJson(text)).data ?? {};
  const says = typeof message === 'string' ? message : (message?.join('; ') ?? `HTTP ${status}`);
  return new ProviderFault({
    verdict: verdictOf(status),
    code: `http_${status}`,
    says,
    retryAfterMs: waitOf(status, headers),
  });
}

/** 100 calls in ten seconds, and so many a day: what is left is told with every answer. */
function waitOf(status: number, headers: ProviderAnswer['headers']): number | undefined {
  if (status !== 429) return undefined;
  if (headers['x-ratelimit-daily-remaining'] === '0') return 3_600_000;
  return Number(headers['x-ratelimit-interval-milliseconds'] ?? 10_000) || 10_000;
}

/** A breath before the next call, when this one was the last of its ten seconds. */
export function breathOf(headers: ProviderAnswer['headers']): number | undefined {
  return headers['x-ratelimit-remaining'] === '0' ? waitOf(429, headers) : undefined;
}
