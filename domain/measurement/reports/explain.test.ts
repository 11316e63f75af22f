import { randomUUID } from 'node:crypto';
import { saveRates } from '@tributary/domain/commerce/money/module.ts';
import { conversionIdOf, sumAmounts } from '@tributary/rules';
import { openTestWithClickHouse } from '@tributary/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { aboutItself, banner, film, may, openShop, outlet, wholeMay, winter } from './reports.fixture.ts';

const world = await openTestWithClickHouse();

describe('GET /campaigns/{id}/conversions', () => {
  test('[camp-042] [camp-043] [camp-044] [camp-065] lists the conversions behind a row, newest first, with their paths and no personal data', async () => {
    const shop = await openShop(world);
    await shop.spend({ ...film }, { ...banner });
    shop.click('ana', 1, { ad: 'film' });
    shop.click('ana', 2, outlet);
    shop.click('ana', 3);
    const paid = await shop.pay('ana', 4, '100.01');
    const lead = await shop.lead('ana', 5);
    await shop.settle();
    const { data, pagination, meta } = await shop.read('/campaigns/winter/conversions', { model: 'linear' });
    expect(data).toEqual([
      expect.objectContaining({
        conversion_type: 'lead_created',
        revenue_type: 'pipeline',
        outcome_event_id: lead,
        value: '0.00',
        credited_value: '0.00',
        is_first_payment: null,
      }),
      {
        conversion_id: conversionIdOf(paid),
        outcome_event_id: paid,
        conversion_type: 'payment_received',
        revenue_type: 'cash',
        conversion_time: may(4),
        value: '100.01',
        credited_value: '33.34',
        currency: 'USD',
        is_first_payment: true,
        touch_count: 3,
        path: [
          {
            occurred_at: may(1),
            channel: 'paid_social',
            source: 'facebook',
            campaign_external_id: 'winter',
            campaign_name: 'Winter',
            ad_set_name: 'Broad',
            ad_name: 'Film',
            ad_set_external_id: 'broad',
            ad_external_id: 'film',
            credit: '33.34',
            is_of_entity: true,
          },
          expect.objectContaining({ campaign_external_id: 'outlet', credit: '33.34', is_of_entity: false }),
          expect.objectContaining({
            channel: 'email',
            campaign_external_id: null,
            credit: '33.33',
            is_of_entity: false,
          }),
        ],
      },
    ]);
    expect(data[1].conversion_id).not.toBe(paid);
    expect(JSON.stringify(data)).not.toContain('ana');
    expect(pagination).toEqual({ has_next: false, cursor: expect.any(String) });
    expect(meta).toEqual({ profile_id: shop.profileId, ...wholeMay, model: 'linear', currency: 'USD', ...aboutItself });
    // Under another model it is unattributed and is listed there.
    expect((await shop.read('/campaigns/winter/conversions')).data).toEqual([]);
    const rest = await shop.read('/campaigns/unattributed/conversions');
    expect(rest.data).toMatchObject([
      { conversion_type: 'lead_created', path: [{ credit: '0.00' }, {}, { is_of_entity: true }] },
      { credited_value: '100.01', path: [{ credit: '0.00' }, { credit: '0.00' }, { credit: '100.01' }] },
    ]);
    const ad = await shop.read(`/campaigns/${shop.entity('ad', 'film')}/conversions`, {
      model: 'first_touch',
      level: 'ad',
    });
    expect(ad.data).toHaveLength(2);
  });

  describe('pages', () => {
    let shop: Awaited<ReturnType<typeof openShop>>;
    let path: string;
    beforeAll(async () => {
      shop = await openShop(world);
      shop.click('ana', 1, winter);
      for (let n = 0; n < 53; n += 1) await shop.pay('ana', 2 + Math.floor(n / 3) / 10, String(n + 1));
      await shop.settle();
      path = `/campaigns/${shop.entity('campaign', 'winter')}/conversions`;
    });

    test('[camp-066] [camp-067] [lim-013] have 50 rows by default, and 1 to 200 on request', async () => {
      expect((await shop.read(path)).data).toHaveLength(50);
      expect((await shop.read(path, { limit: 1 })).data).toHaveLength(1);
      expect((await shop.read(path, { limit: 200 })).data).toHaveLength(53);
      for (const limit of ['0', '201', 'x'])
        expect(await shop.refused(path, { limit })).toEqual([400, 'invalid_parameter']);
    });

    test('[camp-068] [camp-069] [camp-071] start with the newest conversion, and their cursor reaches every row once', async () => {
      const first = await shop.read(path);
      expect(first.pagination).toEqual({ has_next: true, cursor: expect.any(String) });
      const second = await shop.read(path, { cursor: first.pagination.cursor });
      expect([second.data.length, second.pagination.has_next]).toEqual([3, false]);
      const seen: string[] = [];
      for (let cursor: string | undefined; ; ) {
        const page = await shop.read(path, { limit: 7, ...(cursor && { cursor }) });
        seen.push(...page.data.map((row: { conversion_id: string }) => row.conversion_id));
        if (!page.pagination.has_next) break;
        cursor = page.pagination.cursor;
      }
      expect(seen).toEqual([...first.data, ...second.data].map((row) => row.conversion_id));
      expect(new Set(seen).size).toBe(53);
      for (const cursor of ['x', 'WyIyMDI2LTAyLTMwIiwieCJd'])
        expect(await shop.refused(path, { cursor })).toEqual([400, 'invalid_parameter']);
    });
  });

  test('[camp-070] ends a page early when paths are long', async () => {
    const shop = await openShop(world);
    for (let n = 0; n < 200; n += 1) shop.click('ana', 1 + n / 200, winter);
    for (let n = 0; n < 30; n += 1) await shop.pay('ana', 3 + n / 100, '1');
    await shop.settle();
    const path = `/campaigns/${shop.entity('campaign', 'winter')}/conversions`;
    const first = await shop.read(path, { limit: 30 });
    expect([first.data.length, first.data[0].path.length, first.pagination.has_next]).toEqual([20, 200, true]);
    const second = await shop.read(path, { limit: 30, cursor: first.pagination.cursor });
    expect([second.data.length, second.pagination.has_next]).toEqual([10, false]);
  });

  test('returns the same 404 for an unknown campaign and one of another profile', async () => {
    const [shop, other] = [await openShop(world), await openShop(world)];
    await other.spend({ ...film });
    for (const id of ['nobody', 'winter', other.entity('campaign', 'winter'), ' '])
      expect(await shop.refused(`/campaigns/${encodeURIComponent(id)}/conversions`)).toEqual([
        404,
        'campaign_not_found',
      ]);
    expect(await shop.refused('/campaigns/film/conversions', { level: 'ad' })).toEqual([404, 'not_found']);
  });
});

describe('GET /explain', () => {
  const add = (rows: readonly { contributes: string }[]) => sumAmounts(rows.map(({ contributes }) => contributes));

  test('returns rows for every figure that add up to it', async () => {
    const shop = await openShop(world);
    await shop.spend(
      { ...film, spend: '10.125', conversions: '2', conversion_value: '50' },
      { ...film, date: '2026-05-03', spend: '0.001' },
    );
    shop.click('ana', 1, winter);
    shop.click('ana', 2, outlet);
    await shop.pay('ana', 3, '30.01');
    await shop.pay('ana', 4, '70');
    await shop.lead('ana', 4);
    await shop.settle();
    const entity_id = shop.entity('campaign', 'winter');
    const row = (await shop.rows({ model: 'linear', level: 'campaign' })).Winter;
    expect(row).toMatchObject({ spend: 10.13, outcome_value: 50.01, outcome_count: 2, attributed_outcome_count: 3 });
    const base = { model: 'linear', entity_id };
    for (const field of [
      'spend',
      'outcome_count',
      'outcome_value',
      'outcome_count_first_payment',
      'attributed_outcome_count',
    ]) {
      const { data } = await shop.read('/explain', { ...base, field });
      const rows = [...data.conversions, ...data.delivery];
      expect([field, Number(data.value), rows.length]).toEqual([field, row[field], data.row_count]);
      expect([field, add(rows)]).toEqual([field, sumAmounts([data.contributes])]);
      expect(data.formula).not.toBe('');
    }
    const cac = await shop.read('/explain', { ...base, field: 'cac' });
    expect(cac.data).toMatchObject({
      value: String(row.cac),
      unit: 'ratio',
      formula: 'spend / outcome_count',
      parts: [
        { field: 'spend', value: '10.13' },
        { field: 'outcome_count', value: '2' },
      ],
      conversions: [],
      delivery: [],
      row_count: 0,
    });
    expect((await shop.read('/explain', { ...base, field: 'roas' })).data.value).toBe(String(row.roas));
    const claimed = { ...base, report: 'platform_comparison' };
    expect((await shop.read('/explain', { ...claimed, field: 'platform_conversions' })).data).toMatchObject({
      value: '2',
      row_count: 1,
    });
    expect((await shop.read('/explain', { ...claimed, field: 'platform_conversion_value' })).data.value).toBe('50.00');
    const leads = await shop.read('/explain', { ...base, field: 'attributed_outcome_count', type: 'lead_created' });
    expect(leads.data).toMatchObject({
      value: '1',
      conversions: [{ conversion_type: 'lead_created', contributes: '1' }],
    });
    expect(leads.meta).toEqual({
      profile_id: shop.profileId,
      ...wholeMay,
      model: 'linear',
      currency: 'USD',
      ...aboutItself,
      level: 'campaign',
      time_zone: 'UTC',
      from: '2026-05-01T00:00:00.000Z',
      until: '2026-06-01T00:00:00.000Z',
    });
  });

  test('returns the original amount, its exchange rate and why touches got no credit', async () => {
    const shop = await openShop(world, { reportingCurrency: 'CLP' });
    const quote = (currency: string, units: string) => ({ day: '2026-05-01', currency, units, usd: '1' });
    await saveRates(world.kit.system, 'file', [quote('USD', '1'), quote('CLP', '950.5')]);
    const session_id = randomUUID();
    shop.click('ana', 1 - 100, outlet);
    shop.click('ana', 1, winter, { session_id });
    shop.click('ana', 1.01, winter, { session_id });
    shop.click('ana', 9, outlet);
    const paid = await shop.pay('ana', 4, '10.01');
    await shop.pay('ben', 4, '5', { properties: { value: '5', currency: 'PEN' } });
    await shop.settle();
    const entity_id = shop.entity('campaign', 'winter');
    const { data } = await shop.read('/explain', { field: 'outcome_value', entity_id });
    expect(data).toMatchObject({ value: '9515', contributes: '9515', row_count: 1, exclusions: [] });
    expect(data.conversions).toMatchObject([
      {
        outcome_event_id: paid,
        value: '9515',
        contributes: '9515',
        original_amount: '10.01',
        original_currency: 'USD',
        rate: expect.stringMatching(/^950\.50*$/),
        rate_date: '2026-05-01',
        lookback_days: 90,
        left_out: [
          { occurred_at: may(1.01), reason: 'repeat_of_session' },
          { occurred_at: may(9), reason: 'after_conversion' },
          { occurred_at: may(1 - 100), reason: 'outside_window' },
        ],
      },
    ]);
    expect(JSON.stringify(data)).not.toContain('ana');
    // A payment without an exchange rate counts, adds no value, and is listed as an exclusion.
    const rest = await shop.read('/explain', { field: 'outcome_value', entity_id: 'unattributed' });
    expect(rest.data).toMatchObject({
      value: null,
      row_count: 1,
      conversions: [{ value: null, contributes: '0', original_amount: '5.00', original_currency: 'PEN', rate: null }],
      exclusions: [{ reason: 'no_exchange_rate', count: 1 }],
    });
  });

  test('lists the touches between the first and the last 199 of a full path as left out', async () => {
    const shop = await openShop(world);
    for (let n = 0; n < 203; n += 1) shop.click('ana', 1 + n / 203, winter);
    await shop.pay('ana', 3, '1');
    await shop.settle();
    const entity_id = shop.entity('campaign', 'winter');
    const { conversions } = (await shop.read('/explain', { field: 'outcome_count', entity_id })).data;
    expect(conversions).toMatchObject([{ touch_count: 203, contributes: '1' }]);
    expect(conversions[0].path).toHaveLength(200);
    expect(conversions[0].left_out).toHaveLength(3);
    expect(new Set(conversions[0].left_out.map(({ reason }: { reason: string }) => reason))).toEqual(
      new Set(['path_full']),
    );
  });

  test('explains the overview: all conversions and all spend', async () => {
    const shop = await openShop(world);
    await shop.spend({ ...film, spend: '3' }, { external_id: 'orphan', spend: '4' });
    shop.click('ana', 1, winter);
    shop.click('ana', 2, outlet);
    await shop.pay('ana', 3, '8');
    await shop.pay('ben', 3, '16');
    await shop.settle();
    const { totals } = (await shop.read('/overview')).data;
    const explained = async (field: string, model: string) =>
      (await shop.read('/explain', { report: 'overview', field, model })).data;
    for (const model of ['last_touch', 'linear']) {
      for (const field of ['spend', 'outcome_count', 'outcome_value', 'attributed_outcome_count', 'roas', 'cac'])
        expect([field, Number((await explained(field, model)).value)]).toEqual([field, totals[field]]);
      expect((await explained('outcome_value', model)).conversions).toMatchObject([{}, {}]);
    }
    expect(totals).toMatchObject({ spend: 7, outcome_value: 24 });
  });

  test('explains channels, platforms and gaps with rows that add up to each figure over all pages', async () => {
    const shop = await openShop(world);
    await shop.spend(
      { ...film, spend: '10.125', conversions: '2.5', conversion_value: '50.005' },
      { ...film, date: '2026-05-03', spend: '1', conversions: '3', conversion_value: '7' },
      { ...banner, spend: '4' },
      { external_id: 'orphan', spend: '4' },
    );
    for (const [day, person] of ['ana', 'ben', 'cal'].entries()) {
      shop.click(person, 1, winter);
      shop.click(person, 2, {}, { platform: 'social_ads', medium: 'paid', channel: 'paid_social' });
      shop.click(person, 3);
      await shop.pay(person, 4 + day, `${day + 1}0.01`);
    }
    await shop.lead('ana', 9);
    await shop.pay('dan', 9, '16');
    await shop.settle();
    const explain = async (query: object) => {
      const rows: { contributes: string }[] = [];
      for (let cursor: string | undefined; ; ) {
        const { data, pagination } = await shop.read('/explain', { limit: 4, ...query, ...(cursor && { cursor }) });
        rows.push(...data.conversions, ...data.delivery);
        if (!pagination.has_next) {
          expect([query, rows.length, add(rows)]).toEqual([query, data.row_count, sumAmounts([data.contributes])]);
          return data;
        }
        cursor = pagination.cursor;
      }
    };
    const shown = (value: string | null) => (value === null ? null : Number(value));
    const { channels } = (await shop.read('/overview')).data;
    expect(channels.map(({ channel }: { channel: string }) => channel)).toEqual(['email', 'no_touch']);
    for (const { channel, ...figures } of channels)
      for (const field of ['outcome_value', 'attributed_outcome_count']) {
        const data = await explain({ report: 'overview', channel, field, model: 'linear' });
        expect([channel, field, shown(data.value)]).toEqual([channel, field, figures[field]]);
      }
    const fields = [
      ...['spend', 'platform_conversions', 'platform_conversion_value', 'platform_roas', 'atribu_roas'],
      ...['atribu_conversions', 'atribu_cash_conversions', 'atribu_cash_revenue'],
      ...['conversion_gap', 'conversion_gap_pct', 'value_gap'],
    ];
    const base = { report: 'platform_comparison', model: 'linear' };
    const { platforms, rows } = (await shop.read('/campaigns/platform-comparison', { model: 'linear' })).data;
    const compare = async (row: Record<string, string | null>, query: object, of: readonly string[]) => {
      const found = await Promise.all(of.map((field) => explain({ ...base, ...query, field })));
      expect(found.map(({ value }, index) => [of[index], shown(value)])).toEqual(
        of.map((field) => [field, shown(row[field] ?? null)]),
      );
    };
    const [{ platform }] = platforms;
    await compare(platforms[0], { platform }, [...fields, 'unassigned_conversions', 'unassigned_cash_revenue']);
    await compare(rows[0], { entity_id: rows[0].entity_id }, ['atribu_conversions', 'conversion_gap', 'value_gap']);
    const gap = (await shop.read('/explain', { ...base, platform, field: 'value_gap' })).data;
    expect(gap).toMatchObject({
      value: '-36.99',
      parts: [
        { field: 'atribu_cash_revenue', value: '20.02' },
        { field: 'platform_conversion_value', value: '57.01' },
      ],
      contributes: '-36.985',
    });
    expect(gap.conversions[0].path.map(({ is_of_entity }: { is_of_entity: boolean }) => is_of_entity)).toEqual([
      true,
      false,
      false,
    ]);
    expect((await explain({ ...base, platform, field: 'payment_gap' })).value).toBe('-2.5');
    for (const query of [
      { field: 'spend', channel: 'email' },
      { field: 'outcome_count', channel: 'email', platform: 'social_ads' },
      { field: 'unassigned_conversions' },
      { field: 'composite_score' },
    ])
      expect(await shop.refused('/explain', query)).toEqual([400, 'invalid_parameter']);
    expect((await shop.read('/explain', { field: 'spend', platform: 'nobody' })).data.value).toBe('0.00');
  });

  test('pages through the days of delivery', async () => {
    const shop = await openShop(world);
    const days = Array.from({ length: 9 }, (_, n) => `2026-05-0${n + 1}`);
    await shop.spend(
      ...days.map((date) => ({ ...film, date, spend: '1.1' })),
      ...days.map((date) => ({ ...film, external_id: 'x', date, spend: '2' })),
    );
    await shop.settle();
    const rows: { date: string; contributes: string }[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await shop.read('/explain', {
        field: 'spend',
        entity_id: 'winter',
        limit: 5,
        ...(cursor && { cursor }),
      });
      rows.push(...page.data.delivery);
      expect(page.data).toMatchObject({ row_count: 18, contributes: '27.9', value: '27.90' });
      if (!page.pagination.has_next) break;
      cursor = page.pagination.cursor;
    }
    expect([rows.length, add(rows)]).toEqual([18, '27.9']);
    expect(rows.map(({ date }) => date)).toEqual(days.flatMap((date) => [date, date]));
    expect(await shop.refused('/explain', { field: 'spend', cursor: 'x' })).toEqual([400, 'invalid_parameter']);
  });

  test('returns the same 404 for an unknown entity and one of another profile', async () => {
    const [shop, other] = [await openShop(world), await openShop(world)];
    await other.spend({ ...film });
    for (const entity_id of ['winter', other.entity('campaign', 'winter'), 'x'])
      expect(await shop.refused('/explain', { field: 'spend', entity_id })).toEqual([404, 'not_found']);
    expect(await shop.refused('/explain', { field: 'luck' })).toEqual([400, 'invalid_parameter']);
    expect((await shop.read('/explain', { field: 'spend', entity_id: 'unattributed' })).data.value).toBe('0.00');
  });
});
