import type { ClickHouse } from '@tributary/clickhouse';
import { loadSettings } from '@tributary/config';
import { Scope } from '@tributary/contract';
import { createOutbound, localDevelopmentTargets } from '@tributary/outbound';
import { createProviders } from '@tributary/providers';
import { type Sandbox, startSandbox } from '@tributary/sandbox';
import {
  buildApiKey,
  buildConnection,
  buildMarkedProfile,
  credentialBuilders,
  openApi,
  type Testkit,
} from '@tributary/testkit';
import type { Channel } from '@tributary/vocabulary';
import { buildWorld } from '../world.ts';
import { storeCredentials, webhookSettings } from './webhook-secrets.ts';

export interface ParserRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | undefined;
}

export interface ParserResponse {
  readonly status: number;
  readonly body: string;
  /** A 5xx with the server's log. */
  readonly fault: string | undefined;
}

export type ParserWorld = Awaited<ReturnType<typeof openParserWorld>>;

/** An API with the sandbox providers, and a profile connected to each of them. */
export async function openParserWorld(kit: Testkit, clickhouse: ClickHouse) {
  const now = () => kit.clock.now();
  const sandbox: Sandbox = await startSandbox({ seed: 7, now, market: { people: 400, campaigns: 4, days: 20 } });
  const settings = { ...sandbox.settings, ...webhookSettings, PROVIDER_LOCAL_HOSTS: '127.0.0.1' };
  const providers = createProviders(loadSettings(settings));
  const providerOutbound = createOutbound({ timeoutMs: 5_000, policy: localDevelopmentTargets });
  const api = await openApi(kit, { providers, providerOutbound, clickhouse });
  const profile = await buildMarkedProfile(kit);
  const shopDomain = 'parsers.myshopify.com';
  const accounts: readonly (readonly [Channel, string, unknown])[] = [
    ['payments_a', 'acct_parsers', {}],
    ['payments_b', '4411', {}],
    ['bank_link', 'acc_current', {}],
    ['crm_a', 'locSantiago', {}],
    ['store', shopDomain, storeCredentials],
    ['social_ads', 'act_parsers', {}],
    ['search_ads', '123', {}],
    ['search_console', 'https://shop.example/', {}],
  ];
  const connections = new Map<Channel, string>();
  for (const [channel, externalId, credentials] of accounts)
    connections.set(channel, await buildConnection(kit, profile, { channel, externalId, credentials }));
  const { headers } = await buildApiKey(kit.app, profile.id, { scopes: Scope.options, requestsPerMinute: 600_000 });
  const [assistant, session] = await Promise.all([
    credentialBuilders.mcp(kit, profile),
    credentialBuilders.session(kit, profile),
  ]);
  const registered = await api.fastify.inject({
    method: 'POST',
    url: '/oauth2/register',
    payload: {
      client_name: 'Parsers',
      redirect_uris: ['https://assistant.example/callback'],
      token_endpoint_auth_method: 'none',
    },
  });
  let requests = 0;

  return {
    kit,
    sandbox,
    providers,
    profile,
    /** By channel. */
    connections,
    shopDomain,
    now,
    /** Headers of an assistant with a member's consent. */
    assistant,
    /** Session cookie of a member. */
    cookie: session.cookie ?? '',
    /** Id of a registered OAuth client. */
    clientId: registered.json().client_id as string,
    /** Ids and secrets for generated requests. */
    routeWorld: await buildWorld(kit),
    /** Headers of an API key of the profile. */
    headers: { ...headers },
    async send({ method, url, headers: sent, body }: ParserRequest): Promise<ParserResponse> {
      api.logLines.length = 0;
      // Rate limits count by address, so each request uses a new one.
      requests += 1;
      const remoteAddress = `10.${(requests >> 16) & 255}.${(requests >> 8) & 255}.${requests & 255}`;
      const request = { method, url, headers: sent, remoteAddress, ...(body && { payload: body }) };
      const { statusCode: status, body: responseBody } = await api.fastify.inject(request);
      // An internal error counts as a fault even if a page or tool hides it from the caller.
      const logged = api.logLines.filter((line) => line.includes('"msg":"failure"')).join('\n');
      const isFault = (status >= 500 && status !== 501) || logged !== '';
      return {
        status,
        body: responseBody,
        fault: isFault ? `${status} ${responseBody.slice(0, 500)}\n${logged}` : undefined,
      };
    },
    async close(): Promise<void> {
      await api.close();
      providerOutbound.close();
      await sandbox.close();
    },
  };
}
