import { createOutbound, localDevelopmentTargets } from '@tributary/outbound';
import { buildApiKey, buildMarkedProfile, openTest, type TestApi, type Testkit } from '@tributary/testkit';
import { sql } from 'kysely';
import { afterAll } from 'vitest';
import { Company } from './consent.fixture.ts';

export const appOrigin = 'https://app.example.com';
export const returnUrl = `${appOrigin}/connected?step=2`;

/** Opens a profile whose app may use its own return URLs, with a key of the app and one of the profile. */
export async function openShop(kit: Testkit, api: TestApi, traits: Parameters<typeof buildMarkedProfile>[1] = {}) {
  const profile = await buildMarkedProfile(kit, traits);
  await setOrigins(kit, profile.appId, { redirectUris: [`${appOrigin}/oauth`] });
  const scopes = ['connections:read', 'connections:write'] as const;
  const key = await buildApiKey(kit.app, profile.id, { scopes, appId: profile.appId });
  const own = await buildApiKey(kit.app, profile.id, { scopes });
  const call = async (method: 'GET' | 'POST', url: string, payload?: object, headers: object = key.headers) => {
    const answer = await api.call({ method, url, headers: { ...headers }, ...(payload && { payload }) });
    return { status: answer.statusCode, ...answer.json() };
  };
  return {
    ...profile,
    key,
    own,
    call,
    mint: (provider: string, body?: object, headers: object = key.headers) =>
      call('POST', `/api/v1/connections/${provider}/handoff`, body, headers),
    read: async (id: string) => (await call('GET', `/api/v1/handoffs/${id}`)).data,
  };
}

interface Origins {
  readonly redirectUris?: readonly string[];
  readonly allowedReturnOrigins?: readonly string[];
}

/** Changes an app's registration like an operator. */
export const setOrigins = (kit: Testkit, appId: string, origins: Origins) =>
  kit.owner.unbound.transaction((tx) =>
    tx
      .updateTable('apps')
      .set({
        ...(origins.redirectUris && { redirect_uris: [...origins.redirectUris] }),
        ...(origins.allowedReturnOrigins && { allowed_return_origins: [...origins.allowedReturnOrigins] }),
      })
      .where('id', '=', appId)
      .execute(),
  );

let browsers = 0;

/** A browser with cookies and its own IP address. It does not follow redirects. */
export function openBrowser({ fastify }: Pick<TestApi, 'fastify'>, language = 'en') {
  const jar = new Map<string, string>();
  browsers += 1;
  const remoteAddress = `10.${(browsers >> 16) & 255}.${(browsers >> 8) & 255}.${browsers & 255}`;
  return {
    jar,
    async open(url: string) {
      const { pathname, search } = new URL(url);
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
      const answer = await fastify.inject({
        method: 'GET',
        url: `${pathname}${search}`,
        headers: { 'accept-language': language, ...(cookie && { cookie }) },
        remoteAddress,
      });
      for (const cookieHeader of [answer.headers['set-cookie'] ?? []].flat()) {
        const [pair = ''] = cookieHeader.split(';');
        jar.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
      }
      const to = answer.headers.location as string | undefined;
      return {
        status: answer.statusCode,
        headers: answer.headers,
        body: answer.body,
        to,
        /** The outcome that the caller's page receives. */
        outcome: to?.startsWith(appOrigin) ? Object.fromEntries(new URL(to).searchParams) : undefined,
      };
    },
  };
}

export type Shop = Awaited<ReturnType<typeof openShop>>;

/** Opens the API with a local fake provider, with helpers for consents. */
export async function openFlow() {
  const company = await new Company().open();
  afterAll(() => company.close());
  const providerOutbound = createOutbound({ timeoutMs: 2_000, policy: localDevelopmentTargets });
  const { kit, api } = await openTest({ providers: company.providers(), providerOutbound });
  let accounts = 0;
  return {
    kit,
    api,
    company,
    minutes: (count: number) => kit.clock.advance(count * 60_000),
    freshAccount: () => {
      accounts += 1;
      return `act_${accounts}`;
    },
    /** Creates a hand-off and opens its consent page in a browser. */
    async begin(shop: Shop, provider = 'social_ads', body: object = { return_url: returnUrl }) {
      const { data } = await shop.mint(provider, body);
      const browser = openBrowser(api);
      const { to = '', status } = await browser.open(data.start_url);
      if (status !== 303) throw new Error(`not begun: ${status}`);
      return { handoff: data as Record<'id' | 'url' | 'start_url', string>, browser, consent: to };
    },
    rowsOf: async ({ id }: Shop, table: 'connections' | 'pending_selections') =>
      (await kit.app.forProfile(id).transaction((tx) => tx.selectFrom(table).select('id').execute())).length,
    eventsOf: async ({ id }: Shop) =>
      (
        await kit.app.forProfile(id).transaction((tx) =>
          sql<{ type: string; payload: object }>`
            SELECT type, payload FROM outbox WHERE profile_id = ${id} ORDER BY id`.execute(tx),
        )
      ).rows,
  };
}
