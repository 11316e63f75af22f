import assert from 'node:assert/strict';
import { checksOf } from '../check.ts';
import type { Json } from '../client.ts';
import { eventually } from '../context.ts';
import { dataOf, refusal, uuidPattern } from '../expect.ts';
import { market, marketDays, rowsOf } from './market.ts';

const settled = 'model=last_non_direct';

export const campaigns = checksOf('campaigns', (check) => {
  check(
    'camp-002 camp-003 camp-004 camp-047 camp-053 camp-054',
    'lists a campaign with id, name, spend and results',
    async (context) => {
      const { first, second } = await market(context);
      await eventually(async () => {
        const [one, two] = await rowsOf(context, settled);
        assert.match(one.campaign_id, uuidPattern);
        assert.deepEqual([one.campaign_name, two.campaign_name], [first.name, second.name]);
        assert.deepEqual([one.spend, two.spend], [40, 40]);
        assert.equal('impressions' in one, false);
      });
      const { body } = await context.api.get(`campaigns?${marketDays(context)}`);
      assert.deepEqual(Object.keys(body.meta).includes('profile_id'), true);
    },
  );

  check('camp-005 camp-008 camp-009 camp-020', 'divides credited cash by spend', async (context) => {
    await market(context);
    await eventually(async () => {
      const [, row] = await rowsOf(context, settled);
      assert.ok(row.outcome_count >= 1);
      assert.ok(Math.abs(row.roas - row.outcome_value / row.spend) < 1e-6, `roas is ${row.roas}`);
      assert.ok('outcome_count_first_payment' in row && 'cac_first_payment' in row);
    });
  });

  check(
    'camp-010 camp-012 camp-013 camp-014',
    'splits attributed outcomes by kind, without kinds that have none',
    async (context) => {
      await market(context);
      const rows: Json[] = dataOf(await context.api.get(`campaigns?${marketDays(context)}&limit=100&${settled}`));
      for (const { attributed_outcome_count, attributed_outcomes_by_type } of rows) {
        const parts = Object.values<number>(attributed_outcomes_by_type);
        assert.equal(
          parts.reduce((sum, part) => sum + part, 0),
          attributed_outcome_count,
        );
        assert.equal(parts.includes(0), false);
      }
    },
  );

  check('camp-055', 'ranks campaigns by attributed value', async (context) => {
    await market(context);
    const rows: Json[] = dataOf(await context.api.get(`campaigns?${marketDays(context)}&limit=100&${settled}`));
    const values = rows.map(({ outcome_value }) => outcome_value);
    assert.deepEqual(
      values,
      [...values].sort((a, b) => b - a),
    );
  });

  check(
    'camp-021 camp-022 camp-023 camp-024 camp-025 camp-026 camp-027 camp-028 camp-030 camp-033 camp-052',
    'adds delivery, rates and parents with level',
    async (context) => {
      const { first } = await market(context);
      for (const level of ['campaign', 'ad_set', 'ad']) {
        const [row] = await rowsOf(context, `level=${level}`);
        assert.equal(row.entity_level, level);
        assert.deepEqual([row.impressions, row.clicks, row.ctr, row.avg_cpm, row.avg_cpc], [2_000, 40, 2, 20, 1]);
      }
      const [ad] = await rowsOf(context, 'level=ad');
      assert.deepEqual(
        [ad.parent_name, ad.campaign_external_id, ad.ad_set_external_id, ad.status],
        [`${first.name} set`, first.campaignId, first.adSetId, 'ACTIVE'],
      );
      refusal(await context.api.get(`campaigns?${marketDays(context)}&level=account`), 400, 'invalid_parameter');
    },
  );

  check('camp-006 camp-007 camp-029', 'divides spend by payments for the CAC', async (context) => {
    await market(context);
    await eventually(async () => {
      const [, row] = await rowsOf(context, `level=campaign&${settled}`);
      assert.ok(Math.abs(row.cac - row.spend / row.outcome_count) < 1e-6, `cac is ${row.cac}`);
    });
  });

  check(
    'camp-016 camp-056 camp-057 camp-036',
    'adds up to all payments with the unattributed rest, under each model of one touch',
    async (context) => {
      await market(context);
      const totals = async (model: string) => {
        const rows: Json[] = dataOf(await context.api.get(`campaigns?${marketDays(context)}&limit=100&model=${model}`));
        const rest = dataOf(await context.api.get(`campaigns/unattributed?${marketDays(context)}&model=${model}`));
        const sum = (field: string) => rows.reduce((all, row) => all + row[field], rest[field]);
        assert.ok('attributed_outcomes_by_type' in rest);
        return [sum('attributed_outcome_count'), sum('outcome_count'), Math.round(sum('outcome_value') * 100)];
      };
      await eventually(async () => {
        const [last, first, nonDirect] = [
          await totals('last_touch'),
          await totals('first_touch'),
          await totals('last_non_direct'),
        ];
        assert.deepEqual(first, last);
        assert.deepEqual(nonDirect, last);
      });
    },
  );

  check(
    'camp-045 camp-058 camp-062 camp-063 camp-064',
    'returns a trend with a row per entity and day',
    async (context) => {
      await market(context);
      const [one, two] = await rowsOf(context, '');
      const ids = `${one.campaign_id},${two.campaign_id}`;
      const rows: Json[] = dataOf(await context.api.get(`campaigns/trend?${marketDays(context)}&entity_ids=${ids}`));
      const spendOf = (id: string) =>
        rows.filter(({ entity_id }) => entity_id === id).reduce((sum, { spend }) => sum + spend, 0);
      assert.deepEqual([spendOf(one.campaign_id), spendOf(two.campaign_id)], [40, 40]);
      const places = rows.map(({ entity_id, date }) => `${entity_id} ${date}`);
      assert.equal(new Set(places).size, places.length);
    },
  );

  check('camp-059 camp-061', 'refuses a trend without dates or by ids of the platform', async (context) => {
    const { first } = await market(context);
    const { api } = context;
    refusal(
      await api.get(`campaigns/trend?date_from=2026-01-01&entity_ids=${first.campaignId}`),
      400,
      'invalid_date_range',
    );
    refusal(
      await api.get(`campaigns/trend?${marketDays(context)}&entity_ids=${first.campaignId}`),
      400,
      'invalid_parameter',
    );
  });

  check(
    'camp-042 camp-043 camp-044 camp-065 camp-068 camp-069 camp-071',
    'lists the individual conversions of a campaign',
    async (context) => {
      const { paid } = await market(context);
      await eventually(async () => {
        const [, row] = await rowsOf(context, settled);
        const list = `campaigns/${row.campaign_id}/conversions?${marketDays(context)}&${settled}`;
        const answer = await context.api.get(list);
        const found = dataOf(answer).find(({ outcome_event_id }: Json) => outcome_event_id === paid.outcome_event_id);
        assert.ok(found, 'The payment is not in the list.');
        assert.equal(found.is_first_payment, true);
        assert.notEqual(found.conversion_id, found.outcome_event_id);
        const seen = new Set<string>();
        let page = await context.api.get(`${list}&limit=1`);
        for (let pages = 0; pages < 200; pages += 1) {
          for (const one of dataOf(page)) seen.add(one.conversion_id);
          const { has_next, cursor } = page.body.pagination;
          if (!has_next) break;
          page = await context.api.get(`${list}&limit=1&cursor=${encodeURIComponent(cursor)}`);
        }
        assert.equal(seen.size, answer.body.data.length);
      });
    },
  );

  check('camp-035 camp-037 camp-041', 'reads one campaign, ad set or ad', async (context) => {
    await market(context);
    for (const level of ['campaign', 'ad_set', 'ad']) {
      const [row] = await rowsOf(context, `level=${level}`);
      const one = dataOf(await context.api.get(`ads/${row.campaign_id}?${marketDays(context)}&level=${level}`));
      assert.deepEqual([one.spend, one.impressions], [40, 2_000]);
      assert.ok('attributed_outcome_count' in one);
      if (level !== 'ad_set') assert.deepEqual([one.learning_stage_status, one.campaign_objective], [null, null]);
    }
  });

  check('camp-048 camp-049', 'refuses a list without either date', async ({ api }) => {
    refusal(await api.get('campaigns?date_from=2026-01-01'), 400, 'invalid_date_range');
    refusal(await api.get('campaigns?date_to=2026-01-01'), 400, 'invalid_date_range');
  });
});

export const comparison = checksOf('comparison', (check) => {
  check(
    'comp-001 comp-002 comp-003 comp-004 comp-009 comp-021 comp-027',
    "sets the platform's count beside ours, in total and by campaign",
    async (context) => {
      const { first } = await market(context);
      const { platforms, rows } = dataOf(
        await context.api.get(`campaigns/platform-comparison?${marketDays(context)}&${settled}`),
      );
      assert.ok(platforms.some(({ platform }: Json) => platform === 'social_ads'));
      const row = rows.find(({ external_id }: Json) => external_id === first.campaignId);
      assert.ok(row, 'The campaign is not in the comparison.');
      assert.deepEqual(
        [row.platform_conversions, row.platform_conversion_value, row.platform_roas],
        [4, '180.00', 4.5],
      );
      assert.ok('atribu_conversions' in row && 'atribu_roas' in row);
    },
  );

  check(
    'comp-006 comp-007 comp-008 comp-010 comp-011 comp-012 comp-013 comp-014 comp-015',
    'subtracts exactly, attributed minus reported',
    async (context) => {
      await market(context);
      const { platforms, rows } = dataOf(
        await context.api.get(`campaigns/platform-comparison?${marketDays(context)}&${settled}`),
      );
      for (const row of [...platforms, ...rows]) {
        assert.ok(row.atribu_cash_conversions <= row.atribu_conversions);
        assert.match(row.atribu_cash_revenue, /^-?\d+(\.\d+)?$/);
        if (row.platform_conversions === null) {
          assert.deepEqual([row.conversion_gap, row.conversion_gap_pct], [null, null]);
          continue;
        }
        assert.equal(row.conversion_gap, row.atribu_conversions - row.platform_conversions);
        const gap =
          Math.round(Number(row.atribu_cash_revenue) * 100) - Math.round(Number(row.platform_conversion_value) * 100);
        assert.equal(Math.round(Number(row.value_gap) * 100), gap);
      }
    },
  );

  check('comp-005', 'returns null for fields that the platform did not report', async (context) => {
    const { platforms } = dataOf(
      await context.api.get('campaigns/platform-comparison?date_from=2020-01-01&date_to=2020-01-02'),
    );
    for (const { platform_conversions, platform_conversion_value } of platforms)
      assert.deepEqual([platform_conversions, platform_conversion_value], [null, null]);
  });

  check('comp-016 comp-017 comp-018 comp-019 comp-020', 'explains the count of each platform', async (context) => {
    await market(context);
    const { platforms } = dataOf(await context.api.get(`campaigns/platform-comparison?${marketDays(context)}`));
    const social = platforms.find(({ platform }: Json) => platform === 'social_ads');
    assert.match(social.reported_basis, /\w/);
    assert.deepEqual([social.has_delivery, typeof social.delivery_through], [true, 'string']);
    assert.ok('unassigned_conversions' in social && 'unassigned_cash_revenue' in social);
  });

  check(
    'comp-022 comp-025 comp-026',
    'compares whole days by campaign and last_touch unless stated otherwise',
    async (context) => {
      const { api, clock } = context;
      await market(context);
      refusal(await api.get('campaigns/platform-comparison?date_to=2026-01-01'), 400, 'invalid_date_range');
      const answer = await api.get(`campaigns/platform-comparison?date_from=${clock.day(4)}&date_to=${clock.day(-1)}`);
      assert.equal(answer.body.meta.model, 'last_touch');
      const ofAds = await api.get(`campaigns/platform-comparison?${marketDays(context)}&level=ad`);
      assert.ok(dataOf(ofAds).rows.length >= dataOf(answer).rows.length);
    },
  );
});

export const topPerformers = checksOf('top-performers', (check) => {
  check(
    'top-035 top-050',
    'returns an empty list instead of an error before anything is scored',
    async ({ api, profileId }) => {
      const answer = await api.get('top-performers');
      assert.ok(Array.isArray(dataOf(answer)));
      assert.equal(answer.body.meta.profile_id, profileId);
    },
  );

  check('top-039', 'accepts its filters and refuses others', async ({ api }) => {
    for (const query of [
      'min_spend=10',
      'objectives=sales,leads',
      'truth_grades=attributed,lift',
      'outcome_kinds=cash,none',
      'formats=static,carousel',
      'has_video=true',
      'has_video=false',
    ])
      dataOf(await api.get(`top-performers?${query}`));
    for (const query of [
      'objectives=fame',
      'truth_grades=sure',
      'outcome_kinds=gold',
      'has_video=maybe',
      'min_spend=lots',
    ])
      refusal(await api.get(`top-performers?${query}`), 400, 'invalid_parameter');
  });
});
