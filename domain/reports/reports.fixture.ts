import { randomUUID } from 'node:crypto';
import type { ClickHouse, TouchRow } from '@tributary/clickhouse';
import { replay } from '@tributary/domain/attribution';
import { copyDelivery } from '@tributary/domain/campaigns';
import type { Postgres } from '@tributary/postgres';
import { entityIdOf } from '@tributary/rules';
import { buildApiKey, buildProfile, openApi, openTestkit, openWarehouse } from '@tributary/testkit';
import { dayMs, type EntityLevel, nilUuid } from '@tributary/vocabulary';
import { sql } from 'kysely';

interface Answer {
  readonly statusCode: number;
  readonly body: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the answer holds, the test says what it should be.
  json(): any;
}

interface Place {
  readonly app: Postgres;
  readonly clickhouse: ClickHouse;
  readonly profileId: string;
  /** Asks with a key of the profile. */
  readonly ask: (method: 'GET' | 'POST', url: string, payload?: object) => Promise<Answer>;
}

/** What a link may name. */
export interface Named {
  readonly platform?: string;
  readonly campaign?: string;
  readonly adSet?: string;
  readonly ad?: string;
}

/** Two ads as people's links name them, and as spend is told of them. */
export const winter = { campaign: 'winter', adSet: 'broad', ad: 'film' };
export const outlet = { campaign: 'outlet', adSet: 'loyal', ad: 'banner' };
export const film = {
  external_id: 'film',
  name: 'Film',
  ad_set_external_id: 'broad',
  ad_set_name: 'Broad',
  campaign_external_id: 'winter',
  campaign_name: 'Winter',
};
export const banner = {
  external_id: 'banner',
  name: 'Banner',
  ad_set_external_id: 'loyal',
  ad_set_name: 'Loyal',
  campaign_external_id: 'outlet',
  campaign_name: 'Outlet',
};

/** Moments of May 2026, the days of all tests: 1.5 is noon on the first. */
export const may = (day: number): string =>
  new Date(Date.UTC(2026, 4, 1) + Math.round((day - 1) * dayMs)).toISOString();
export const wholeMay = { date_from: '2026-05-01', date_to: '2026-05-31' };

export type ReportScene = Awaited<ReturnType<typeof openReportScene>>;

/** Databases and an API for a file of tests, whose shops each have a profile of their own. */
export async function openReportScene() {
  const kit = await openTestkit();
  const [api, warehouse] = await Promise.all([openApi(kit), openWarehouse(kit)]);
  /** The shop of a profile that is there already. */
  const shopOf = async (profileId: string) => {
    const { headers } = await buildApiKey(kit.app, profileId, { scopes: ['campaigns:read', 'attribution:write'] });
    const ask: Place['ask'] = (method, url, payload) =>
      api.fastify.inject({ method, url, headers: { ...headers }, ...(payload && { payload }) });
    return openShop({ app: kit.app, clickhouse: warehouse.client, profileId, ask });
  };
  return {
    kit,
    api,
    clickhouse: warehouse.client,
    shopOf,
    openShop: async (traits: Parameters<typeof buildProfile>[1] = {}) =>
      shopOf((await buildProfile(kit.app, traits)).id),
    async close(): Promise<void> {
      await warehouse.drop();
      await api.close();
      await kit.close();
    },
  };
}

/** A shop whose people click and pay, and whose reports can be asked for. */
function openShop({ app, clickhouse, profileId, ask }: Place) {
  const visitors = new Map<string, string>();
  let clicks: TouchRow[] = [];
  const entity = (level: EntityLevel, externalId: string, platform = 'social_ads') =>
    entityIdOf(profileId, platform, level, externalId);
  const sent = async (method: 'GET' | 'POST', url: string, payload?: object) => {
    const response = await ask(method, url, payload);
    if (response.statusCode >= 300) throw new Error(response.body);
    return response.json();
  };
  const event = async (person: string, day: number, more: object) =>
    (
      await sent('POST', '/api/v1/events', {
        idempotency_key: randomUUID(),
        occurred_at: may(day),
        user_traits: { email: `${person}@example.test` },
        ...more,
      })
    ).data.outcome_event_id as string;
  const shop = {
    profileId,
    entity,
    ask,
    /** Stored when the shop settles, all at once. */
    click(person: string, day: number, named: Named = {}, more: Partial<TouchRow> = {}): void {
      const visitorId = visitors.get(person) ?? randomUUID();
      visitors.set(person, visitorId);
      const { platform = 'social_ads', campaign, adSet, ad } = named;
      const idOf = (level: EntityLevel, name: string | undefined) =>
        name === undefined ? nilUuid : entity(level, name, platform);
      const isPaid = Object.keys(named).length > 0;
      clicks.push({
        profile_id: profileId,
        visitor_id: visitorId,
        occurred_at: may(day),
        touch_id: randomUUID(),
        kind: 'visit',
        session_id: randomUUID(),
        channel: isPaid ? 'paid_social' : 'email',
        source: isPaid ? 'facebook' : 'newsletter',
        medium: isPaid ? 'paid' : 'email',
        platform: isPaid ? platform : '',
        campaign_id: idOf('campaign', campaign),
        ad_set_id: idOf('ad_set', adSet),
        ad_id: idOf('ad', ad),
        click_id_kind: '',
        join_method: '',
        country: 'CL',
        device: 'mobile',
        ...more,
      });
    },
    pay: (person: string, day: number, value: number | string, more: object = {}) =>
      event(person, day, { event_name: 'payment_received', properties: { value, currency: 'USD' }, ...more }),
    lead: (person: string, day: number) => event(person, day, { event_name: 'lead_created' }),
    event,
    spend: (...rows: object[]) =>
      sent('POST', '/api/v1/spend', {
        rows: rows.map((row) => ({
          platform: 'social_ads',
          level: 'ad',
          date: '2026-05-01',
          currency: 'USD',
          spend: '0',
          ...row,
        })),
      }),
    /** Until everything that was done shows in the reports. */
    async settle(): Promise<void> {
      await clickhouse.insert('touches', clicks);
      clicks = [];
      await app.forProfile(profileId).transaction(async (tx) => {
        for (const [person, visitorId] of visitors)
          await sql`
            INSERT INTO visitor_links (profile_id, visitor_id, customer_id, source, linked_at)
            SELECT profile_id, ${visitorId}, customer_id, 'identify', now() FROM identifiers
            WHERE profile_id = ${profileId} AND value = ${`${person}@example.test`} ON CONFLICT DO NOTHING`.execute(tx);
      });
      const { signal } = new AbortController();
      await replay({ app, clickhouse }, { profileId, cause: 'test', now: () => new Date(), signal });
      await copyDelivery({ app, clickhouse }, profileId, 10_000);
    },
    /** The whole answer to a GET. */
    read: (path: string, query: object = {}) =>
      sent('GET', `/api/v1${path}?${new URLSearchParams({ ...wholeMay, ...query } as Record<string, string>)}`),
    /** The refusal of a GET: its status and code. */
    async refused(path: string, query: object = {}): Promise<[status: number, code: string]> {
      const response = await ask(
        'GET',
        `/api/v1${path}?${new URLSearchParams({ ...wholeMay, ...query } as Record<string, string>)}`,
      );
      return [response.statusCode, response.json().error?.code];
    },
    /** Rows of all pages. */
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    async list(query: object = {}): Promise<any[]> {
      const rows = [];
      for (let cursor: string | undefined; ; ) {
        const page = await shop.read('/campaigns', { limit: 100, ...query, ...(cursor && { cursor }) });
        rows.push(...page.data);
        if (!page.pagination.has_next) break;
        cursor = page.pagination.cursor;
      }
      return rows;
    },
    /** The same by the name of what they are of. */
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    async rows(query: object = {}): Promise<Record<string, any>> {
      return Object.fromEntries((await shop.list(query)).map((row) => [row.campaign_name || row.campaign_id, row]));
    },
  };
  return shop;
}
