import { type ClickHouse, raw } from '@tributary/clickhouse';
import type { Market } from '@tributary/market';
import { type EntityLevel, entityLevels } from '@tributary/vocabulary';

/**
 * The visits that a market's touches came from, so that its journeys can be looked at: a page view each. After the ads are told, of which a
 * visit names the platform's numbers. Filled again, they are the same rows.
 */
export async function fillVisits({ profileId }: Pick<Market, 'profileId'>, clickhouse: ClickHouse): Promise<void> {
  const numbersOf = (level: EntityLevel) =>
    `LEFT JOIN (SELECT entity_id, external_id FROM ad_entities FINAL WHERE profile_id = {profile_id:UUID}) AS ${level} ON ${level}.entity_id = t.${level}_id`;
  await clickhouse.command(
    raw(`
      INSERT INTO visits (profile_id, visitor_id, visit_id, session_id, is_session_start, occurred_at, received_at, event_type, event_name, is_bot,
        channel, source, medium, platform, campaign_external_id, ad_set_external_id, ad_external_id, click_id_kind, url, path, device, country)
      SELECT t.profile_id, t.visitor_id, t.touch_id, t.session_id, true, t.occurred_at, t.occurred_at, 'page_view', 'page_view', false,
        t.channel, t.source, t.medium, t.platform, campaign.external_id, ad_set.external_id, ad.external_id, t.click_id_kind,
        'https://shop.example/', '/', t.device, t.country
      FROM (SELECT * FROM touches FINAL WHERE profile_id = {profile_id:UUID} AND kind = 'visit') AS t
      ${entityLevels.map(numbersOf).join('\n')}`),
    { profile_id: profileId },
  );
}
