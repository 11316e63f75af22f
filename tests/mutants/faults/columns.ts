import { type Fault, faultsIn } from '../fault.ts';

const parity = ['tests/parity/parity.test.ts'];

/** Faults in ClickHouse queries. */
export const faults: readonly Fault[] = [
  ...faultsIn('packages/clickhouse/queries/attribution_attribute.sql', parity, {
    'conversion-moment-outside': [
      'arrayCount(moment -> moment <= until, moments) - before',
      'arrayCount(moment -> moment < until, moments) - before',
      'a touch at the exact time of the conversion earns no credit',
    ],
    'path-one-too-short': [
      'at > touch_count + 1 - {path_touches:UInt32}',
      'at > touch_count + 2 - {path_touches:UInt32}',
      'a long path loses one touch',
    ],
    'refunds-credited-as-gain': [
      'if(value < 0, -1, 1) AS sign',
      '1 AS sign',
      'a refund is credited as positive revenue',
    ],
    'told-twice-earns-twice': [
      'if(empty(duplicate_ids), in_window, arrayFilter(touch -> NOT has(duplicate_ids, touch.1), in_window)) AS without_duplicates',
      'in_window AS without_duplicates',
      'an ad named by both the visit and the event earns credit twice',
    ],
    'same-click-for-ever': [
      'max(if(key.1 = 3 AND before < at - {same_click_ms:UInt32}, 0, before))',
      'max(before)',
      'a chat loses its touch because of a click of the same kind a month earlier',
    ],
  }),
  ...faultsIn('packages/clickhouse/parts/weigh_linear.sql', parity, {
    'linear-rest-lost': [
      'toInt64(even_share + (at <= even_rest))',
      'toInt64(even_share)',
      'with linear credit, the cents of an uneven division are lost',
    ],
  }),
  ...faultsIn('packages/clickhouse/parts/weigh_position_based.sql', parity, {
    'position-for-two': [
      'if(n <= 2, linear,',
      'if(n <= 1, linear,',
      'with two touches, the second one is rounded by the wrong rule',
    ],
    'position-ends-thirds': [
      'intDiv(2 * amount, 5) AS end_share',
      'intDiv(amount, 3) AS end_share',
      'the first and last touch get a third each instead of 40%',
    ],
  }),
  ...faultsIn('packages/clickhouse/parts/weigh_time_decay.sql', parity, {
    'decay-age-of-conversion': [
      'intDiv(times[-1] - time, 60000)',
      'intDiv(times[-1] - time, 60000) + 1440',
      'the age of a touch is one day too high',
    ],
    'decay-rest-to-nobody': [
      'sign * toInt64(share + (decay_left > 0 AND',
      'sign * toInt64(share + (decay_left > 1 AND',
      'with time decay, a cent of a sale is lost',
    ],
  }),
  ...faultsIn(
    'packages/clickhouse/queries/attribution_apply.sql',
    ['domain/measurement/attribution/attribution.test.ts', 'domain/measurement/attribution/replay.test.ts'],
    {
      'older-result-wins': [
        'WHERE r.version > old.version AND if(',
        'WHERE if(',
        'an older attribution result replaces a newer one',
      ],
      'same-written-again': [
        'NOT old.is_there OR r.content_hash != old.content_hash',
        'true',
        'a replay without changes writes every row again',
      ],
      'buried-without-a-grave': [
        'if(r.is_deleted, old.is_there,',
        'if(r.is_deleted, false,',
        'a deleted outcome still counts',
      ],
    },
  ),
  ...faultsIn(
    'packages/clickhouse/queries/attribution_keep_history.sql',
    ['domain/measurement/attribution/attribution.test.ts', 'domain/measurement/attribution/replay.test.ts'],
    {
      'history-of-everything': [
        'AND (r.content_hash != old.content_hash OR r.is_deleted)',
        '',
        'every replay adds unchanged rows to the history',
      ],
    },
  ),
  ...faultsIn(
    'packages/clickhouse/queries/attribution_bury_unknown.sql',
    ['domain/measurement/attribution/replay.test.ts'],
    {
      'replay-buries-all': [
        'AND is_eligible\n',
        'AND NOT is_eligible\n',
        'a replay deletes eligible conversions and keeps the others',
      ],
    },
  ),
  ...faultsIn('packages/clickhouse/parts/conversions.sql', ['domain/measurement/reports/campaigns.test.ts'], {
    'first-midnight-left-out': [
      "conversion_time >= {from:DateTime64(3, 'UTC')}",
      "conversion_time > {from:DateTime64(3, 'UTC')}",
      'a payment at midnight of the first day is in no report',
    ],
  }),
  ...faultsIn(
    'packages/clickhouse/parts/conversions.sql',
    [
      'domain/measurement/top-performers/top-performer-ad.test.ts',
      'domain/measurement/reports/campaigns.test.ts',
      'domain/measurement/reports/delivery.test.ts',
    ],
    {
      'orders-are-cash': [
        "revenue_type = 'cash' AS is_cash",
        "revenue_type != 'pipeline' AS is_cash",
        'orders count as cash revenue',
      ],
    },
  ),
  ...faultsIn(
    'packages/clickhouse/parts/credits_single.sql',
    ['domain/measurement/reports/explain.test.ts', 'domain/measurement/reports/read-unattributed.test.ts'],
    {
      'nobodys-lost': [
        'ANY LEFT JOIN owned AS o',
        'ANY INNER JOIN owned AS o',
        'unattributed revenue is missing from the totals',
      ],
    },
  ),
  ...faultsIn('packages/clickhouse/parts/place_last_non_direct.sql', ['domain/measurement/reports/campaigns.test.ts'], {
    'report-of-last-touch': [
      'last_non_direct',
      'length(source_ids)',
      'the last_non_direct report shows last_touch credits',
    ],
  }),
  ...faultsIn(
    'packages/clickhouse/parts/delivered.sql',
    ['domain/measurement/reports/delivery.test.ts', 'domain/measurement/reports/clicked-entities.test.ts'],
    {
      'spend-unconverted': [
        'if(t.currency = {currency:String}, toDecimal256(1, 20), r.rate) AS rate',
        'toDecimal256(1, 20) AS rate',
        'euros are added to pesos',
      ],
      'last-day-of-spend-lost': [
        'level <= {level:String} AND day >= {first_day:Date} AND day <= {last_day:Date}\n        ) AS d',
        'level <= {level:String} AND day >= {first_day:Date} AND day < {last_day:Date}\n        ) AS d',
        'the spend of the last day is missing',
      ],
    },
  ),
  ...faultsIn(
    'packages/clickhouse/parts/told_otherwise_campaign.sql',
    ['domain/measurement/reports/delivery.test.ts'],
    {
      'spend-counted-twice': [
        "WHERE (t.level = 'campaign' OR (t.owner_id, t.day) NOT IN (",
        'WHERE (true OR (t.owner_id, t.day) NOT IN (',
        'spend reported for a campaign and for its ads counts twice',
      ],
    },
  ),
  ...faultsIn(
    'packages/clickhouse/parts/sources.sql',
    ['domain/measurement/reports/read-unattributed.test.ts', 'domain/measurement/reports/clicked-entities.test.ts'],
    {
      'ads-parents-unknown': [
        'multiIf(s.campaign_id != nil_id, s.campaign_id, ad.campaign_id != nil_id, ad.campaign_id, ad_set.campaign_id) AS of_campaign',
        's.campaign_id AS of_campaign',
        'a click that names only its ad earns nothing for the campaign',
      ],
    },
  ),
  ...faultsIn(
    'packages/clickhouse/queries/report_read_unattributed.sql',
    ['domain/measurement/reports/read-unattributed.test.ts'],
    {
      'everybodys-unattributed': ['WHERE owner_id = nil_id\n', '', 'attributed revenue is shown as unattributed'],
    },
  ),
  ...faultsIn('packages/clickhouse/queries/report_read_overview.sql', ['domain/measurement/reports/delivery.test.ts'], {
    'orders-in-overview': [
      "sumIf(c.value, c.revenue_type = 'cash') AS value",
      'sum(c.value) AS value',
      'the overview adds orders to the cash revenue',
    ],
  }),
  ...faultsIn(
    'packages/clickhouse/queries/report_list_credits.sql',
    ['domain/measurement/reports/explain.test.ts', 'domain/measurement/reports/campaigns.test.ts'],
    {
      'pages-of-conversions-lose-ties': [
        "WHERE (conversion_time, conversion_id) < ({before_at:DateTime64(3, 'UTC')}, {before_id:UUID})",
        "WHERE conversion_time < {before_at:DateTime64(3, 'UTC')}",
        'conversions at the same time are lost between two pages',
      ],
    },
  ),
  ...faultsIn('packages/clickhouse/queries/delivery_list_counted.sql', ['domain/measurement/reports/explain.test.ts'], {
    'pages-of-delivery-repeat': [
      'WHERE (day, toString(entity_id)) > ({after_day:Date}, {after_id:String})',
      'WHERE (day, toString(entity_id)) >= ({after_day:Date}, {after_id:String})',
      'a day of delivery is listed twice',
    ],
  }),
  ...faultsIn('packages/clickhouse/parts/chosen_credits.sql', ['domain/measurement/reports/explain.test.ts'], {
    'explained-of-every-type': [
      "({conversion_type:String} = '' OR conversion_type = {conversion_type:String})",
      'true',
      'the explanation of one conversion type lists conversions of all types',
    ],
    'explained-not-cash': ['AND (NOT {is_cash:Bool} OR is_cash)\n', '', 'the explanation of payments lists leads'],
  }),
  ...faultsIn('packages/clickhouse/queries/touch_list_left_out.sql', ['domain/measurement/reports/explain.test.ts'], {
    'path-called-left-out': [
      'WHERE (conversion_id, touch_id) NOT IN (SELECT conversion_id, arrayJoin(touch_ids) FROM conversions)\n',
      '',
      'credited touches are listed among those without credit',
    ],
  }),
  ...faultsIn(
    'packages/clickhouse/queries/ad_list_figures.sql',
    [
      'domain/measurement/top-performers/list-top-performers.test.ts',
      'domain/measurement/top-performers/rebuild-scores.test.ts',
      'domain/measurement/top-performers/market.test.ts',
    ],
    {
      'orders-are-pipeline': [
        "conversion_type NOT IN ('order_placed', 'messaging_started') AS is_pipeline",
        "conversion_type NOT IN ('messaging_started') AS is_pipeline",
        'orders count as projected value',
      ],
      'best-day-of-utc': [
        'toDate(conversion_time, {time_zone:String}) AS day',
        "toDate(conversion_time, 'UTC') AS day",
        'the best day of an ad is computed in UTC',
      ],
    },
  ),
  ...faultsIn('packages/clickhouse/queries/visit_count_daily.sql', ['domain/traffic/tracking/health/health.test.ts'], {
    'bots-counted-as-people': ['countIf(is_bot) AS bots', 'toUInt64(0) AS bots', 'bots are counted as visitors'],
    'days-of-utc-in-health': [
      'toString(toDate(received_at, {time_zone:String})) AS day',
      "toString(toDate(received_at, 'UTC')) AS day",
      'the tracking page groups days in UTC',
    ],
  }),
  ...faultsIn('packages/clickhouse/queries/visit_list_recent.sql', ['domain/traffic/tracking/health/health.test.ts'], {
    'bots-in-the-list': ['AND ({include_bots:Bool} OR NOT is_bot)\n', '', 'the list of visits contains bots'],
    'pages-of-visits-lose-ties': [
      "AND (occurred_at, visit_id) < ({before_at:DateTime64(3, 'UTC')}, {before_id:UUID})",
      "AND occurred_at < {before_at:DateTime64(3, 'UTC')}",
      'visits at the same time are lost between two pages',
    ],
  }),
  ...faultsIn(
    'packages/clickhouse/queries/visit_list_arrivals.sql',
    ['domain/measurement/journeys/read-customer-journey.test.ts', 'domain/traffic/tracking/health/health.test.ts'],
    {
      'later-arrival-first': [
        'ORDER BY occurred_at, visit_id\n',
        'ORDER BY occurred_at DESC, visit_id\n',
        'a session is shown with a later source instead of its first one',
      ],
    },
  ),
  ...faultsIn(
    'packages/clickhouse/queries/visit_list_old_quarters.sql',
    ['packages/clickhouse/drop-old-visits.test.ts'],
    {
      'quarter-dropped-too-soon': [
        'addMonths(toDate(partition), 3) <=',
        'toDate(partition) <=',
        'visits are deleted up to a quarter too early',
      ],
    },
  ),
  ...faultsIn(
    'packages/clickhouse/queries/journey_list_touch_times.sql',
    ['domain/measurement/journeys/read-journey-by-key.test.ts'],
    {
      'touches-after-the-conversion': [
        " AND occurred_at <= {until:DateTime64(3, 'UTC')}\n",
        '\n',
        'a journey counts touches after the conversion, and its last pages are empty',
      ],
    },
  ),
];
