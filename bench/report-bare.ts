/**
 * The month's report as a hand-written query for exactly these tables: campaigns only, one currency, no paging, spend reported per campaign.
 * Conversions are aggregated before any join.
 */
export const bareReport = {
  last_touch: (profileId: string) =>
    report(
      profileId,
      `SELECT o.owner AS owner, conversion_type, sum(n) AS conversions, sum(paid) AS payments, sum(new) AS first_payments, sum(money) AS value
      FROM (
        SELECT last_source AS source_id, conversion_type, count() AS n, ${figures}
        FROM attributed_conversions FINAL WHERE ${month(profileId)} GROUP BY source_id, conversion_type
      ) AS c
      INNER JOIN owned AS o ON o.source_id = c.source_id
      GROUP BY owner, conversion_type`,
    ),
  linear: (profileId: string) =>
    report(
      profileId,
      `SELECT owners[owner_number] AS owner, types[intDiv(kind, 4)] AS conversion_type, sum(firsts) AS conversions, sumIf(firsts, bitTest(kind, 0)) AS payments,
        sumIf(firsts, bitTest(kind, 0) AND bitTest(kind, 1)) AS first_payments, sumIf(earned, bitTest(kind, 0)) AS value
      FROM (
        SELECT owner_number, kind, countIf(nth = 1) AS firsts, sum(share) AS earned
        FROM (
          SELECT linear, toUInt32(4 * indexOf(types, conversion_type) + (revenue_type = 'cash') + 2 * (is_first_payment AND purchase_id = conversion_id)) AS kind,
            arrayMap(source -> transform(source, from_sources, to_owners, toUInt32(0)), source_ids) AS numbers
          FROM attributed_conversions FINAL WHERE ${month(profileId)}
        )
        ARRAY JOIN numbers AS owner_number, linear AS share, arrayEnumerateUniq(numbers) AS nth
        GROUP BY owner_number, kind
      )
      WHERE owner_number > 0 GROUP BY owner, conversion_type`,
      `, (SELECT groupUniqArray(conversion_type) FROM attributed_conversions WHERE ${month(profileId)}) AS types,
      (SELECT groupArray(source_id) FROM (SELECT source_id FROM owned ORDER BY source_id)) AS from_sources,
      (SELECT arraySort(groupUniqArray(owner)) FROM owned) AS owners,
      (SELECT groupArray(toUInt32(number)) FROM (SELECT dense_rank() OVER (ORDER BY owner) AS number FROM owned ORDER BY source_id)) AS to_owners`,
    ),
};

const figures = `countIf(revenue_type = 'cash') AS paid, countIf(revenue_type = 'cash' AND is_first_payment AND purchase_id = conversion_id) AS new,
  sumIf(value, revenue_type = 'cash') AS money`;

const month = (profileId: string) =>
  `profile_id = '${profileId}' AND conversion_time >= '2026-05-01 00:00:00' AND conversion_time < '2026-06-01 00:00:00'`;

const report = (profileId: string, earned: string, further = '') => `
  WITH toUUID('00000000-0000-0000-0000-000000000000') AS nobody,
    owned AS (
      SELECT s.source_id AS source_id, if(s.campaign_id != nobody, s.campaign_id, e.campaign_id) AS owner
      FROM (SELECT source_id, campaign_id, ad_id FROM touch_sources FINAL WHERE profile_id = '${profileId}') AS s
      LEFT JOIN (SELECT entity_id, campaign_id FROM ad_entities FINAL WHERE profile_id = '${profileId}') AS e ON e.entity_id = s.ad_id
      WHERE owner != nobody
    )${further}
  SELECT e.owner AS id, sum(conversions), sum(payments), sum(first_payments), sum(value) AS earned, groupArray((conversion_type, conversions)),
    any(d.spend), any(d.impressions), any(d.clicks), any(n.name)
  FROM (${earned}) AS e
  LEFT JOIN (
    SELECT entity_id, sum(spend) AS spend, sum(impressions) AS impressions, sum(clicks) AS clicks FROM ad_delivery_daily FINAL
    WHERE profile_id = '${profileId}' AND level = 'campaign' AND day >= '2026-05-01' AND day <= '2026-05-31' GROUP BY entity_id
  ) AS d ON d.entity_id = e.owner
  LEFT JOIN (SELECT entity_id, name FROM ad_entities FINAL WHERE profile_id = '${profileId}') AS n ON n.entity_id = e.owner
  GROUP BY id ORDER BY earned DESC, toString(id) LIMIT 10
  SETTINGS do_not_merge_across_partitions_select_final = 1`;
