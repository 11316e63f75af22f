import { openTestWithClickHouse, scene } from '@tributary/testkit';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { expect, test } from 'vitest';

const { kit, api, clickhouse } = await openTestWithClickHouse();

test('[ops-031] lists the ads whose links do not name them, and counts the visits that do', async () => {
  const shop = await scene({ kit, api, clickhouse }, { scopes: ['campaigns:read', 'attribution:write'] });
  const ads = {
    bare: {},
    elsewhere: { url_tags: 'utm_source=fb&utm_campaign={{campaign.id}}' },
    tagged: { url_tags: 'utm_source=fb&ad_id={{ad.id}}' },
    content: { url_tags: 'utm_content={{ad.id}}&x=1' },
    archived: {},
  };
  await shop.spend(
    ...Object.keys(ads).map((id) => ({
      external_id: id,
      date: '2026-06-01',
      ...(id === 'archived' && { status: 'ARCHIVED' }),
    })),
    { platform: 'search_ads', external_id: 'googles', date: '2026-06-01' },
  );
  for (const [id, creative] of Object.entries(ads))
    await shop.ledger.transaction((tx) =>
      sql`UPDATE ad_entities SET creative = ${JSON.stringify(creative)}::jsonb WHERE external_id = ${id}`.execute(tx),
    );
  const occurred_at = new Date(kit.clock.now().getTime() - 86_400_000).toISOString();
  const click = { visitor_id: uuid(), occurred_at, platform: 'social_ads' };
  await shop.touch(
    { ...click, ad_id: shop.entity('ad', 'bare') },
    { ...click, campaign_id: shop.entity('campaign', 'c-1') },
    click,
    { ...click, occurred_at: '2020-01-01T00:00:00.000Z', ad_id: shop.entity('ad', 'bare') },
    { ...click, channel: 'organic_social' },
  );
  const { status, body } = await shop.ask('/api/v1/quality/ad-ids');
  expect(status).toBe(200);
  const listed = Object.fromEntries(
    body.data.map((ad: { ad_external_id: string; touches: number; url_tags: string }) => [
      ad.ad_external_id,
      [ad.touches, ad.url_tags],
    ]),
  );
  expect(listed).toEqual({ bare: [1, null], elsewhere: [0, ads.elsewhere.url_tags] });
  expect(body.meta.coverage).toEqual([{ platform: 'social_ads', touches: 3, with_ad_id: 1, with_campaign_id: 1 }]);

  const first = (await shop.ask('/api/v1/quality/ad-ids?limit=1')).body;
  const second = (await shop.ask(`/api/v1/quality/ad-ids?limit=1&cursor=${first.pagination.cursor}`)).body;
  expect([first.pagination.has_next, second.pagination.has_next]).toEqual([true, false]);
  expect([...first.data, ...second.data]).toEqual(body.data);
});
