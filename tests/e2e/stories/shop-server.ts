import { createClient, type RequestOf, type Routes } from '@tributary/sdk';
import { buildApiKey } from '@tributary/testkit';
import { dayMs, limits } from '@tributary/vocabulary';
import type { Installation, Workspace } from './installation.ts';

type Body<Id extends keyof Routes> = RequestOf<Routes[Id]> extends { body: infer B } ? B : never;
type Event = Exclude<Body<'createEvent'>, { events: unknown }>;

/** Two campaigns of one ad each, with the platform's ids. */
export const campaigns = {
  video: { platform: 'social_ads', id: '9001', name: 'Winter video', ad: '9011' },
  search: { platform: 'search_ads', id: '9002', name: 'Boots search', ad: '9012' },
} as const;
type Campaign = keyof typeof campaigns;

/** The results that the platform claims for a day. */
interface Claimed {
  readonly conversions?: number;
  readonly conversion_value?: string;
}

const mostAtOnce = limits.events.maxRows;

/** The shop's own server, which has an API key: it sends outcomes, payments and ad spend. */
export async function openShopServer({ kit, baseUrl, now }: Installation, { profileId }: Workspace) {
  const { secret } = await buildApiKey(kit.app, profileId, { scopes: ['attribution:write'] });
  const client = createClient({ baseUrl, apiKey: secret });
  const daysAgo = (days: number): string => new Date(+now() - days * dayMs).toISOString();
  let sent = 0;
  const send = async (event: Event): Promise<void> => {
    sent += 1;
    await client.createEvent({ body: { idempotency_key: `${event.event_name}-${sent}`, ...event } });
  };
  return {
    daysAgo,
    send,
    /** Sends many at once; each needs its own idempotency key. */
    async sendAll(events: readonly Event[]): Promise<void> {
      for (let from = 0; from < events.length; from += mostAtOnce) {
        const { data } = await client.createEvent({ body: { events: events.slice(from, from + mostAtOnce) } });
        const { rejected = 0 } = 'summary' in data ? data.summary : {};
        if (rejected > 0) throw new Error(`${rejected} events were rejected: ${JSON.stringify(data).slice(0, 500)}`);
      }
    },
    /** A customer who responds to an ad without a visit. */
    async lead(email: string, campaign: Campaign, at: string): Promise<void> {
      const { ad, platform } = campaigns[campaign];
      await send({ event_name: 'lead_created', occurred_at: at, ad_id: ad, platform, user_traits: { email } });
    },
    async payment(email: string, value: string, at: string, order?: string): Promise<void> {
      await send({
        event_name: 'payment_received',
        ...(order && { idempotency_key: order }),
        occurred_at: at,
        properties: { value, currency: 'USD' },
        user_traits: { email },
      });
    },
    async refund(order: string, value: string): Promise<void> {
      await send({ event_name: 'refund', refund_of: order, properties: { value } });
    },
    async spend(campaign: Campaign, at: string, spend: string, claimed: Claimed = {}): Promise<void> {
      const { platform, id, name, ad } = campaigns[campaign];
      const parent = { campaign_external_id: id, campaign_name: name };
      const adSet = { ad_set_external_id: `${id}1`, ad_set_name: `${name}, all` };
      const row = {
        platform,
        date: at.slice(0, 10),
        currency: 'USD',
        spend,
        impressions: 1_000,
        clicks: 20,
        ...claimed,
      };
      const { data } = await client.importSpend({
        body: {
          rows: [
            { ...row, level: 'campaign', external_id: id, name, status: 'ACTIVE' },
            { ...row, level: 'ad_set', external_id: `${id}1`, name: adSet.ad_set_name, ...parent },
            { ...row, level: 'ad', external_id: ad, name: `${name}, ad`, ...parent, ...adSet },
          ],
        },
      });
      if (data.summary.rejected > 0) throw new Error(`Spend was rejected: ${JSON.stringify(data.results)}`);
    },
  };
}

/** A shop whose customers saw both campaigns: the video first, the search ad last. */
export async function openAdvertisingShop(installation: Installation) {
  const workspace = await installation.openWorkspace();
  const server = await openShopServer(installation, workspace);
  const { daysAgo } = server;
  await server.spend('video', daysAgo(9), '40.00');
  await server.spend('search', daysAgo(3), '20.00');
  for (const [email, value] of [
    ['ana@example.com', '120.00'],
    ['luis@example.com', '80.00'],
  ] as const) {
    await server.lead(email, 'video', daysAgo(8));
    await server.lead(email, 'search', daysAgo(2));
    await server.payment(email, value, daysAgo(1));
  }
  return { ...workspace, server };
}
