import { type ClickHouse, raw } from '@tributary/clickhouse';
import type { Market } from '@tributary/market';
import { type EntityLevel, entityLevels, nilUuid } from '@tributary/vocabulary';

const landingPages = [
  '/', '/collections/winter', '/collections/running', '/collections/outlet', '/products/trail-sneaker', '/products/rain-jacket',
  '/products/city-backpack', '/products/merino-sweater', '/gift-guide', '/blog/how-to-choose-running-shoes',
]; // biome-ignore format: a list
const furtherPages = [
  '/products/trail-sneaker', '/products/rain-jacket', '/products/merino-sweater', '/collections/new', '/sizes', '/shipping-and-returns', '/cart',
]; // biome-ignore format: a list

/**
 * Writes the visits behind a market's touches, so that journeys can be viewed: the landing page and up to two further pages. An ad always leads to
 * the same page. Run it after delivery is filled, because visits contain the platforms' ids. Filling again writes the same rows.
 */
export async function fillVisits({ profileId }: Pick<Market, 'profileId'>, clickhouse: ClickHouse): Promise<void> {
  const numbersOf = (level: EntityLevel) =>
    `LEFT JOIN (SELECT entity_id, external_id FROM ad_entities FINAL WHERE profile_id = {profile_id:UUID}) AS ${level} ON ${level}.entity_id = t.${level}_id`;
  await clickhouse.command(
    raw(`
      INSERT INTO visits (profile_id, visitor_id, visit_id, session_id, is_session_start, occurred_at, received_at, event_type, event_name, is_bot,
        channel, source, medium, platform, campaign_external_id, ad_set_external_id, ad_external_id, click_id_kind, url, path, device, country)
      WITH
        if(nth = 0,
          {landing_pages:Array(String)}[1 + if(t.ad_id = toUUID('${nilUuid}'), cityHash64(t.touch_id), cityHash64(t.ad_id)) % ${landingPages.length}],
          {further_pages:Array(String)}[1 + cityHash64(t.touch_id, nth) % ${furtherPages.length}]) AS page,
        t.occurred_at + toIntervalSecond(nth * (20 + cityHash64(t.touch_id) % 90)) AS seen_at
      SELECT t.profile_id, t.visitor_id, if(nth = 0, t.touch_id, reinterpretAsUUID(sipHash128(t.touch_id, nth))), t.session_id, nth = 0, seen_at, seen_at,
        'page_view', 'page_view', false,
        t.channel, t.source, t.medium, t.platform, campaign.external_id, ad_set.external_id, ad.external_id, t.click_id_kind,
        'https://shop.example' || page, page, t.device, t.country
      FROM (
        SELECT *, arrayJoin(range(1 + cityHash64(touch_id, 'pages') % 3)) AS nth
        FROM touches FINAL WHERE profile_id = {profile_id:UUID} AND kind = 'visit') AS t
      ${entityLevels.map(numbersOf).join('\n')}`),
    { profile_id: profileId, landing_pages: landingPages, further_pages: furtherPages },
  );
}
