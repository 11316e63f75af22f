import assert from 'node:assert/strict';
import { v7 as uuid } from 'uuid';
import type { Json } from '../client.ts';
import { type Context, eventually } from '../context.ts';
import { dataOf } from '../expect.ts';
import { payment, record } from './fixtures.ts';

const dayMs = 86_400_000;

const browser = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

interface Visit {
  readonly type?: string;
  readonly daysAgo: number;
  readonly query?: string;
  readonly traits?: Readonly<Record<string, string>>;
  readonly link_token?: string;
}

/** Sends visits of one browser to the collector, with each page view in its own session. */
export async function visit(context: Context, visits: readonly Visit[], clientId: string = uuid()): Promise<string> {
  const { api, clock } = context;
  const { visits_url } = dataOf(await api.get('tracking/origin'));
  const { key } = await context.shared('tracking key', async () => {
    const answer = await api.post('tracking/keys');
    return answer.body.data;
  });
  let sessionId = uuid();
  const sent = visits.map(({ type = 'page_view', daysAgo, query = '', traits, link_token }) => {
    const isPage = type === 'page_view';
    if (isPage) sessionId = uuid();
    return {
      id: uuid(),
      at: clock.at(-daysAgo * dayMs - (isPage ? 2_000 : 1_000)),
      type,
      session_id: sessionId,
      is_session_start: isPage,
      url: `https://shop.example/${query && `?${query}`}`,
      ...(traits && { traits }),
      ...(link_token && { link_token }),
    };
  });
  const response = await fetch(visits_url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': browser },
    body: JSON.stringify({ key, client_id: clientId, visits: sent }),
  });
  assert.equal(response.status, 204, `The collector answered ${response.status}: ${await response.text()}`);
  return clientId;
}

const number = () => String(Math.floor(Math.random() * 1e12)).padStart(12, '1');

/** Two campaigns with an ad set and an ad each. A customer arrived by the first, by the second and then directly, a day apart, and paid 100.00. */
export const market = (context: Context) =>
  context.shared('market', async () => {
    const { api, clock, unique } = context;
    const campaigns = ['first', 'second'].map((name) => ({
      name: unique(`Campaign ${name}`),
      ad: unique(`Ad ${name}`),
      campaignId: number(),
      adSetId: number(),
      adId: number(),
    }));
    const rows = campaigns.flatMap(({ name, ad, campaignId, adSetId, adId }) =>
      [2, 0].map((ago) => ({
        platform: 'social_ads',
        level: 'ad',
        external_id: adId,
        name: ad,
        campaign_external_id: campaignId,
        campaign_name: name,
        ad_set_external_id: adSetId,
        ad_set_name: `${name} set`,
        date: clock.day(ago),
        currency: 'USD',
        spend: '20.00',
        impressions: 1_000,
        clicks: 20,
        reach: 800,
        status: 'ACTIVE',
        conversions: '2',
        conversion_value: '90.00',
      })),
    );
    dataOf(await api.post('spend', { rows }));
    const customer = unique('visitor');
    const touch = ({ campaignId, adSetId, adId }: (typeof campaigns)[0]) =>
      `utm_source=facebook&utm_medium=paid_social&campaign_id=${campaignId}&adset_id=${adSetId}&ad_id=${adId}`;
    const [first, second] = campaigns as [(typeof campaigns)[0], (typeof campaigns)[0]];
    await visit(context, [
      { daysAgo: 3, query: touch(first) },
      { daysAgo: 2, query: touch(second) },
      { daysAgo: 1 },
      { daysAgo: 1, type: 'identify', traits: { external_id: customer } },
    ]);
    await eventually(async () => {
      const { body } = await api.get(`customers/journey?customer_key=${customer}`);
      assert.ok(body.data?.total_count >= 4, 'The visits are not in the journey yet.');
    });
    const paid = await record(api, payment(customer, { key: unique('market'), value: '100.00' }));
    return { campaigns, customer, paid, first, second, touch };
  });

export const marketDays = ({ clock }: Pick<Context, 'clock'>) => `date_from=${clock.day(4)}&date_to=${clock.day(-1)}`;

/** The rows of the market's two campaigns, first and second. */
export async function rowsOf(context: Context, query: string): Promise<[Json, Json]> {
  const { campaigns } = await market(context);
  const all: Json[] = dataOf(await context.api.get(`campaigns?${marketDays(context)}&limit=100&${query}`));
  const [first, second] = campaigns.map(({ name, ad }) =>
    all.find(({ campaign_name }) => [name, `${name} set`, ad].includes(campaign_name)),
  );
  assert.ok(first && second, 'The campaigns are not in the report.');
  return [first, second];
}
