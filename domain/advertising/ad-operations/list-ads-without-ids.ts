import type { ClickHouse } from '@tributary/clickhouse';
import type { Routes } from '@tributary/contract';
import { listTaggableAds } from '@tributary/domain/advertising/campaigns';
import { answer, type Handles } from '@tributary/operations';
import { dayMs, limits, marketingChannelNames, marketingChannels, nilUuid } from '@tributary/vocabulary';

const adChannels = marketingChannelNames.filter((name) => marketingChannels[name].canBeAd);

export const listAdsWithoutIds: Handles<Routes['listAdsWithoutIds'], { readonly clickhouse: ClickHouse }> = async (
  { query },
  { caller, ledger, now, clickhouse, signal },
) => {
  const { profileId } = caller;
  const found = await ledger.transaction(
    (tx) => listTaggableAds(tx, profileId, { after: query.cursor ?? nilUuid, limit: query.limit + 1 }),
    { readOnly: true },
  );
  const ads = found.slice(0, query.limit);
  const period = { profile_id: profileId, from: new Date(now.getTime() - limits.adIds.days * dayMs), to: now };
  const coverage = await clickhouse.query('touch_count_ad_ids', { ...period, channels: adChannels }, { signal });
  const named = await clickhouse.query(
    'touch_count_of_ads',
    { ...period, ad_ids: ads.map(({ id }) => id) },
    { signal },
  );
  const touches = new Map(named.map((row) => [row.ad_id, Number(row.touches)]));
  return answer(200, {
    data: ads.map((ad) => ({
      ad_id: ad.id,
      ad_external_id: ad.externalId,
      ad_name: ad.name || ad.externalId,
      ad_set_name: ad.adSetName,
      campaign_name: ad.campaignName,
      platform: ad.platform,
      status: ad.status || null,
      url_tags: ad.urlTags,
      touches: touches.get(ad.id) ?? 0,
    })),
    pagination: { has_next: found.length > query.limit, cursor: ads.at(-1)?.id ?? null },
    meta: {
      coverage: coverage.map((row) => ({
        platform: row.platform,
        touches: Number(row.touches),
        with_ad_id: Number(row.with_ad),
        with_campaign_id: Number(row.with_campaign),
      })),
      since: period.from.toISOString(),
      until: now.toISOString(),
    },
  });
};
