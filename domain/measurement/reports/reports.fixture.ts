import { randomUUID } from 'node:crypto';
import type { TouchRow } from '@tributary/clickhouse';
import { type SceneTraits, scene, type World } from '@tributary/testkit';
import { dayMs, type EntityLevel, nilUuid } from '@tributary/vocabulary';
import { expect } from 'vitest';

/** The entities that a link may name. */
export interface LinkedEntities {
  readonly platform?: string;
  readonly campaign?: string;
  readonly adSet?: string;
  readonly ad?: string;
}

/** Two ads, as links name them and as delivery reports them. */
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

/** Metadata of a report that excludes nothing; freshness has its own tests. */
export const aboutItself = { exclusions: [], freshness: expect.any(Object) };

/** A moment of May 2026, which all tests use: 1.5 is noon on the first. */
export const may = (day: number): string =>
  new Date(Date.UTC(2026, 4, 1) + Math.round((day - 1) * dayMs)).toISOString();
export const wholeMay = { date_from: '2026-05-01', date_to: '2026-05-31' };

/** A shop with customers who click and pay, and with access to its reports. */
export async function openShop(world: World, traits: SceneTraits = {}) {
  const scopes = ['campaigns:read', 'attribution:write'] as const;
  const { settle: showAll, ...profile } = await scene(world, { scopes, ...traits });
  const visitors = new Map<string, string>();
  let clicks: TouchRow[] = [];
  const event = async (person: string, day: number, more: object) =>
    (
      await profile.post('/api/v1/events', {
        idempotency_key: randomUUID(),
        occurred_at: may(day),
        user_traits: { email: `${person}@example.test` },
        ...more,
      })
    ).outcome_event_id as string;
  const get = (path: string, query: object) =>
    profile.ask(`/api/v1${path}?${new URLSearchParams({ ...wholeMay, ...query } as Record<string, string>)}`);
  const shop = {
    ...profile,
    /** Stored on settle, all at once. */
    click(person: string, day: number, linked: LinkedEntities = {}, more: Partial<TouchRow> = {}): void {
      const visitorId = visitors.get(person) ?? randomUUID();
      visitors.set(person, visitorId);
      const { platform = 'social_ads', campaign, adSet, ad } = linked;
      const idOf = (level: EntityLevel, name: string | undefined) =>
        name === undefined ? nilUuid : profile.entity(level, name, platform);
      const isPaid = Object.keys(linked).length > 0;
      clicks.push({
        profile_id: profile.profileId,
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
    spend: (...rows: object[]) => profile.spend(...rows.map((row) => ({ date: '2026-05-01', ...row }))),
    /** Waits until everything recorded so far shows in the reports. */
    async settle(): Promise<void> {
      await profile.touch(...clicks);
      clicks = [];
      for (const [person, visitorId] of visitors) await profile.link(visitorId, `${person}@example.test`);
      await showAll();
    },
    /** The body of a successful GET. */
    async read(path: string, query: object = {}) {
      const { status, body } = await get(path, query);
      if (status >= 300) throw new Error(JSON.stringify(body));
      return body;
    },
    /** Status and error code of a refused GET. */
    async refused(path: string, query: object = {}): Promise<[status: number, code: string]> {
      const { status, body } = await get(path, query);
      return [status, body.error?.code];
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
    /** The same rows by campaign name or id. */
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    async rows(query: object = {}): Promise<Record<string, any>> {
      return Object.fromEntries((await shop.list(query)).map((row) => [row.campaign_name || row.campaign_id, row]));
    },
  };
  return shop;
}
