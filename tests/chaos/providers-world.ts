import { setTimeout as sleep } from 'node:timers/promises';
import { loadSettings } from '@tributary/config';
import { syncs } from '@tributary/domain/advertising/connections/module.ts';
import { saveRates } from '@tributary/domain/commerce/money/module.ts';
import { createOutbound, localDevelopmentTargets } from '@tributary/outbound';
import { createProviders } from '@tributary/providers';
import { completeConsent, startSandbox } from '@tributary/sandbox';
import {
  buildApiKey,
  buildMarkedProfile,
  freePort,
  openApi,
  openDrillKit,
  openWarehouse,
  processQueue,
  scene,
  testOutcomeServices,
  testVault,
} from '@tributary/testkit';
import { type Channel, dayMs, hourMs, minuteMs } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';

/** Units per US dollar, chosen so that an amount in cents or pesos is a whole number of US cents. */
export const unitsPerUsd: Readonly<Record<string, string>> = {
  USD: '1',
  EUR: '0.5',
  CLP: '100',
  JPY: '100',
  MXN: '0.25',
  BRL: '0.5',
};
/** Converts an amount to US cents. An amount in a currency without a rate counts as zero. */
export const centsOf = (amount: number, currency: string): number =>
  unitsPerUsd[currency] ? Math.round((amount / Number(unitsPerUsd[currency])) * 100) : 0;

const start = Date.parse('2026-03-02T12:00:00Z');
/** The days before the start that a first sync reads. */
const daysBefore = 60;

export interface WorldSize {
  readonly seed: number;
  readonly people: number;
  readonly campaigns: number;
  /** The maximum length of the simulation. */
  readonly days: number;
}

export type ProvidersWorld = Awaited<ReturnType<typeof openProvidersWorld>>;
export type ProvidersShop = Awaited<ReturnType<ProvidersWorld['open']>>;

/**
 * One API over HTTP, one sync handler and two sandboxes on one fake clock. The market of the first sandbox continues while ads are delivered.
 * The market of the second ended before the first sync; the drill makes all later sales.
 */
export async function openProvidersWorld({ seed, people, campaigns, days }: WorldSize) {
  const kit = await openDrillKit('drill-providers', ['postgres', 'redis', 'clickhouse']);
  kit.clock.set(new Date(start));
  const now = () => kit.clock.now();
  const first = dayOf(start - daysBefore * dayMs);
  const adMarket = { people, campaigns, days: daysBefore + days, start: first, currencies: ['USD', 'EUR', 'CLP'] };
  const ads = await startSandbox({ seed, now, market: adMarket });
  const saleMarket = { people, days: daysBefore - 5, start: first, currencies: ['USD', 'CLP'] };
  const sales = await startSandbox({ seed: seed + 1, now, market: saleMarket });
  const fromAds = Object.entries(ads.settings).filter(([name]) => /^(META|GOOGLE|SEARCH)_/.test(name));
  const settings = { ...sales.settings, ...Object.fromEntries(fromAds), PROVIDER_LOCAL_HOSTS: '127.0.0.1' };
  const providers = createProviders(loadSettings(settings));
  const providerOutbound = createOutbound({ timeoutMs: 20_000, policy: localDevelopmentTargets });
  const warehouse = await openWarehouse(kit);
  const { client: clickhouse } = warehouse;
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const api = await openApi(kit, { baseUrl, providers, providerOutbound, clickhouse });
  await api.fastify.listen({ host: '127.0.0.1', port });
  const stores = { app: kit.app, system: kit.system, now, providers, providerOutbound, vault: testVault };
  const reader = syncs({ ...stores, random: () => 0, outcomes: testOutcomeServices });
  const allDays = Array.from({ length: daysBefore + days + 1 }, (_, n) => dayOf(start + (n - daysBefore) * dayMs));
  const quotes = allDays.flatMap((day) =>
    Object.entries(unitsPerUsd).map(([currency, units]) => ({ day, currency, units, usd: '1' })),
  );
  await saveRates(kit.system, 'file', quotes);

  const statesOf = async (ids: readonly string[]) =>
    (
      await kit.owner.unbound.query(sql<SyncState>`
        SELECT s.connection_id AS id, s.state, s.last_success_at AS "lastSuccessAt", s.last_error AS "lastError",
          s.rejected_count AS rejected, s.rejected AS "rejectedRows",
          CASE WHEN isfinite(s.due_at) THEN s.due_at END AS "dueAt", c.status
        FROM syncs s JOIN connections c ON c.profile_id = s.profile_id AND c.id = s.connection_id
        WHERE s.connection_id = ANY (${[...ids]}::uuid[]) AND c.status <> 'disconnected'`)
    ).rows;
  const readOnce = (ids: readonly string[]) =>
    Promise.all(ids.map((id) => processQueue(kit.system, 'syncs', reader, id)));

  return {
    kit,
    api,
    ads: ads.book,
    sales: sales.book,
    /** The sandbox that serves a channel's provider. */
    sandboxOf: (channel: Channel) => (/_ads$|search/.test(channel) ? ads : sales),
    now,
    first,
    today: () => dayOf(now().getTime()),
    statesOf,
    /** Runs the syncs that are due at this moment once, for a time with a fault. */
    readOnce,

    /** Sets the clock to noon some days later, so that a whole step fits into one day. */
    nextNoon(days: number): void {
      kit.clock.set(new Date(Math.floor(now().getTime() / dayMs) * dayMs + days * dayMs + 12 * hourMs));
    },

    /**
     * Advances the clock to each scheduled sync until every connection has been read completely since `since`. Resolves to the connections
     * that were not within nine hours.
     */
    async readUntilIdle(ids: readonly string[], since: Date): Promise<SyncState[]> {
      const end = now().getTime() + 9 * hourMs;
      for (;;) {
        await readOnce(ids);
        const states = await statesOf(ids);
        const left = states.filter(
          ({ state, lastSuccessAt, lastError }) =>
            state !== 'idle' || lastError !== null || !lastSuccessAt || lastSuccessAt < since,
        );
        if (left.length === 0) return [];
        const due = left.flatMap(({ dueAt }) => (dueAt ? [dueAt.getTime()] : []));
        const next = Math.max(now().getTime() + 1_000, Math.min(...due));
        if (due.length === 0 || next > end) return left;
        kit.clock.set(new Date(next));
        await sleep(0);
      }
    },

    /** Creates a profile whose app connects accounts for it, with the calls of the app and of report readers. */
    async open() {
      const profile = await buildMarkedProfile(kit, { reportingCurrency: 'USD' });
      const app = await buildApiKey(kit.app, profile.id, {
        appId: profile.appId,
        scopes: ['connections:read', 'connections:write'],
      });
      const shop = await scene(
        { kit, api, clickhouse },
        {
          profileId: profile.id,
          scopes: ['campaigns:read', 'commerce:read', 'attribution:write', 'goals:write', 'connections:read'],
        },
      );
      const asApp = async (method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) => {
        const response = await fetch(`${baseUrl}/api/v1${path}`, {
          method,
          headers: {
            ...app.headers,
            'idempotency-key': uuid(),
            ...(body && { 'content-type': 'application/json' }),
          },
          ...(body && { body: JSON.stringify(body) }),
        });
        // biome-ignore lint/suspicious/noExplicitAny: the caller knows the type of the response.
        const answer = (await response.json()) as any;
        if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${JSON.stringify(answer)}`);
        return answer.data;
      };
      return {
        ...shop,
        asApp,

        /** Consents as a merchant does: the app's link, the provider's consent page, the callback. Chooses `account` if there are several. */
        async consent(channel: Channel, account: string, shared: readonly string[] = [account]): Promise<string> {
          const handoff = await asApp('POST', `/connections/${channel}/handoff`, {});
          const begun = await fetch(handoff.start_url, { redirect: 'manual' });
          const [cookie = ''] = begun.headers.getSetCookie().map((one) => one.split(';')[0] ?? '');
          const consentUrl = begun.headers.get('location') ?? '';
          const answer = await completeConsent(consentUrl, { accounts: shared });
          const callback = new URL(new URL(consentUrl).searchParams.get('redirect_uri') ?? '');
          callback.search = new URLSearchParams(answer).toString();
          const back = await fetch(callback, { headers: { cookie } });
          if (back.status !== 200) throw new Error(`The callback of ${channel} answered ${back.status}.`);
          const { result } = await asApp('GET', `/handoffs/${handoff.id}`);
          if (result.connection_id) return result.connection_id;
          const path = `/connections/pending/${channel}/finalize`;
          return (await asApp('POST', path, { candidate_id: account })).connection_id;
        },

        statusOf: async (id: string): Promise<string> => (await asApp('GET', `/connections/${id}`)).status,

        /** Delivers a provider's webhook. It must be accepted, and make the sync of the connection `wakes` due, if there is one. */
        async deliver(
          channel: Channel,
          { headers, body }: { readonly headers: Record<string, string>; readonly body: Uint8Array },
          wakes?: string,
        ) {
          const tomorrow = new Date(now().getTime() + dayMs);
          if (wakes)
            await kit.owner.unbound.query(
              sql`UPDATE syncs SET due_at = ${tomorrow}, state = 'idle' WHERE connection_id = ${wakes}`,
            );
          const to = `${baseUrl}/hooks/${channel}`;
          const answer = await fetch(to, {
            method: 'POST',
            headers: { 'content-type': 'application/json', ...headers },
            body: Buffer.from(body),
          });
          if (answer.status !== 204) throw new Error(`${to} answered ${answer.status}.`);
          const [state] = wakes ? await statesOf([wakes]) : [];
          if (state && !(state.dueAt && state.dueAt <= now()))
            throw new Error(`A webhook of ${channel} made nothing due.`);
        },

        /** Requests a report of the whole period. */
        async report(path: string, query: Record<string, string> = {}) {
          const span = { date_from: first, date_to: dayOf(now().getTime()) };
          const { status, body } = await shop.ask(`/api/v1${path}?${new URLSearchParams({ ...span, ...query })}`);
          if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`);
          return body;
        },
      };
    },

    async close(): Promise<void> {
      await api.close();
      await warehouse.drop();
      await ads.close();
      await sales.close();
      providerOutbound.close();
      await kit.close();
    },
  };
}

export interface SyncState {
  readonly id: string;
  readonly state: string;
  readonly status: string;
  readonly lastSuccessAt: Date | null;
  readonly lastError: string | null;
  readonly dueAt: Date | null;
  readonly rejected: number;
  readonly rejectedRows: unknown;
}

export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
export const inMinutes = (count: number): number => count * minuteMs;
