import { z } from 'zod';
import type { Account, Call, ProviderAnswer } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import { readJson } from '../read-answer.ts';
import { baseOf, type JsonAnswer, requestJson, verdictOf } from '../request-json.ts';
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
  /** PEM of the Ed25519 key that signs webhooks; undefined: webhooks are not accepted. */
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
  ): Promise<JsonAnswer<T>> {
    const url = `${base}${path}?${new URLSearchParams(params)}`;
    return requestJson({ method: 'GET', url, headers: headersFor(token) }, schema, call, faultOf);
  }

  return {
    get,

    /** An agency's token cannot read locations. It is exchanged for a token of the location, which is not stored. */
    async tokenOf({ externalId, credentials }: Account<HighlevelCredentials>, call: Call): Promise<string> {
      if (credentials.userType === 'Location') return credentials.accessToken;
      const headers = { ...headersFor(credentials.accessToken), 'content-type': 'application/x-www-form-urlencoded' };
      const body = new URLSearchParams({ companyId: credentials.companyId, locationId: externalId }).toString();
      const request = { method: 'POST', url: `${base}/oauth/locationToken`, headers, body } as const;
      return (await requestJson(request, Token, call, faultOf)).body.access_token;
    },

    async uninstall({ externalId, credentials }: Account<HighlevelCredentials>, call: Call): Promise<void> {
      const headers = { ...headersFor(credentials.accessToken), 'content-type': 'application/json' };
      const body = JSON.stringify({ companyId: credentials.companyId, locationId: externalId });
      const url = `${base}/marketplace/app/${encodeURIComponent(appIdOf(settings.clientId))}/installations`;
      await requestJson({ method: 'DELETE', url, headers, body }, z.unknown(), call, faultOf);
    },
  };
}

/** The client id is the app id, a dash and the key id. */
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

/** Limits are 100 calls in ten seconds and a daily quota; every response reports what remains. */
function waitOf(status: number, headers: ProviderAnswer['headers']): number | undefined {
  if (status !== 429) return undefined;
  if (headers['x-ratelimit-daily-remaining'] === '0') return 3_600_000;
  return Number(headers['x-ratelimit-interval-milliseconds'] ?? 10_000) || 10_000;
}

/** The wait before the next call, if this call used up the ten-second limit. */
export function getBackoffMs(headers: ProviderAnswer['headers']): number | undefined {
  return headers['x-ratelimit-remaining'] === '0' ? waitOf(429, headers) : undefined;
}
