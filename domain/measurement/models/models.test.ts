import { raw } from '@tributary/clickhouse';
import { routes } from '@tributary/contract';
import { copyDelivery } from '@tributary/domain/advertising/campaigns/module.ts';
import { openTestWithClickHouse, scene } from '@tributary/testkit';
import { estimatingModelNames, fittedModelNames, limits } from '@tributary/vocabulary';
import { beforeAll, describe, expect, test } from 'vitest';
import { fitModels, refusalOf } from './fit-models.job.ts';
import { currentRefusal } from './fit-response.ts';
import { errorOfSum } from './list-model-campaigns.ts';
import { refitModels } from './refit-models.job.ts';

const world = await openTestWithClickHouse();
const signal = new AbortController().signal;

// One shop through its life: no fit, too few purchases, a fit, a second fit, experiments and a night. Each test depends on the data and
// fits of the previous ones, because fitting thousands of customers again for every test would take too long.
describe('fitted models', { shuffle: false }, () => {
  let shop: Awaited<ReturnType<typeof scene>>;
  let requestedAt: Date;
  const fit = async () => {
    const requested = await shop.post('/api/v1/models/fits', {});
    await fitModels(
      { app: world.kit.app, clickhouse: world.clickhouse, now: () => new Date(requested.requested_at) },
      { profileId: shop.profileId, fitId: requested.id },
      signal,
    );
    return requested;
  };
  const models = async () => (await shop.ask('/api/v1/models')).body.data;
  const day = (before: number) => new Date(+requestedAt - before * 86_400_000).toISOString().slice(0, 10);
  const campaigns = (model: string, more: object = {}) =>
    shop.ask(
      `/api/v1/models/${model}/campaigns?${new URLSearchParams({ date_from: day(100), date_to: day(0), ...more })}`,
    );

  const advice = (more: object = {}) =>
    shop.ask(`/api/v1/advice?${new URLSearchParams({ margin_pct: '40', ...more })}`);

  /** When purchases were written to ClickHouse: after the fits. */
  const changedAt = () => new Date(+requestedAt + 3_600_000);
  /**
   * Customers with touches of two campaigns and direct visits, of whom every third buys. Generated in ClickHouse, a few thousand at once.
   */
  async function fill(people: number): Promise<void> {
    const id = (what: string) => `reinterpretAsUUID(sipHash128('${shop.profileId}', '${what}', number))`;
    const entity = (name: string) => `toUUID('${shop.entity('campaign', name)}')`;
    await world.clickhouse.command(
      raw(`
      INSERT INTO touches (profile_id, visitor_id, occurred_at, touch_id, session_id, channel, source, medium, platform, campaign_id, ad_id)
      SELECT '${shop.profileId}', ${id('visitor')}, toDateTime64('${day(1)} 12:00:00', 3, 'UTC') - INTERVAL (number % 90) DAY - INTERVAL nth * 20 HOUR,
        reinterpretAsUUID(sipHash128(number, nth)), reinterpretAsUUID(sipHash128(number, nth, 's')),
        if(kind = 2, 'direct', 'paid_social'), if(kind = 2, 'direct', 'facebook'), if(kind = 2, '', 'paid'), if(kind = 2, '', 'social_ads'),
        multiIf(kind = 0, ${entity('winter')}, kind = 1, ${entity('outlet')}, toUUID('00000000-0000-0000-0000-000000000000')),
        if(kind = 1 AND number % 2 = 0, toUUID('${shop.entity('ad', 'film')}'), toUUID('00000000-0000-0000-0000-000000000000'))
      FROM (SELECT number, nth, (number + nth) % 3 AS kind FROM numbers(${people}) ARRAY JOIN range(toUInt32(number % 3 + 1)) AS nth)`),
      {},
    );
    await world.clickhouse.command(
      raw(`
      INSERT INTO attributed_conversions (profile_id, conversion_time, conversion_id, version, person_id, is_anonymous, conversion_type, revenue_type,
        value, has_value, currency, lookback_days, touch_count, touch_ids, touch_times, source_ids, applied_at)
      SELECT profile_id, max(occurred_at) + INTERVAL 1 HOUR, visitor_id, 1, visitor_id, true, 'purchase', 'cash', 1 + cityHash64(visitor_id) % 9999, true, 'USD', 90,
        count(), arraySort((one, at) -> at, groupArray(touch_id), groupArray(occurred_at)), arraySort(groupArray(occurred_at)), arraySort((one, at) -> at, groupArray(source_id), groupArray(occurred_at)),
        toDateTime64('${changedAt().toISOString().slice(0, -1)}', 3, 'UTC')
      FROM touches FINAL WHERE profile_id = '${shop.profileId}' AND cityHash64(visitor_id) % 3 = 0 GROUP BY profile_id, visitor_id`),
      {},
    );
    // A customer without any known touch.
    await world.clickhouse.command(
      raw(`INSERT INTO attributed_conversions (profile_id, conversion_time, conversion_id, version, person_id, conversion_type, revenue_type, value, has_value, currency, lookback_days)
      VALUES ('${shop.profileId}', '${day(2)} 10:00:00', generateUUIDv4(), 1, generateUUIDv4(), 'purchase', 'cash', 777, true, 'USD', 90)`),
      {},
    );
  }

  beforeAll(async () => {
    shop = await scene(world, { scopes: ['campaigns:read', 'attribution:write', 'goals:write'] });
  });

  test('return no figure before a fit, but the published errors', async () => {
    const { models: listed, latest_fit, errors } = await models();
    expect(listed).toMatchObject(estimatingModelNames.map((model) => ({ model, refusal: 'no_fit' })));
    expect(latest_fit).toBeNull();
    expect(errors.rows.map(({ model }: { model: string }) => model)).toEqual(
      expect.arrayContaining(['last_touch', ...fittedModelNames]),
    );
    requestedAt = new Date();
    const { data, meta } = (await advice()).body;
    expect([data, meta.reason, meta.fitted_at]).toEqual([[], 'no_fit', null]);
    expect((await shop.ask('/api/v1/advice')).status).toBe(400);
    const { status, body } = await campaigns('data_driven');
    expect([status, body.error.code, body.error.reason]).toEqual([409, 'invalid_state', 'no_fit']);
  });

  test('a fit with too few purchases is refused with the reason; a queued fit is not queued twice', async () => {
    const requested = await shop.post('/api/v1/models/fits', {});
    expect(requested).toMatchObject({ state: 'queued', reason: null });
    requestedAt = new Date(requested.requested_at);
    expect((await shop.post('/api/v1/models/fits', {})).id).toBe(requested.id);
    await fit();
    expect((await models()).latest_fit).toMatchObject({ id: requested.id, state: 'refused', reason: 'too_thin' });
    expect((await campaigns('markov')).body.error.reason).toBe('too_thin');
  });

  test('credits and the uncredited rest add up to the value of every purchase and of the total', async () => {
    await fill(7_500);
    const requested = await fit();
    const { latest_fit, served_fit, models: listed } = await models();
    expect(latest_fit).toMatchObject({ id: requested.id, state: 'done', reason: null, people: 7_501 });
    expect(served_fit).toEqual(latest_fit);
    expect(listed.map(({ refusal }: { refusal: string | null }) => refusal)).toEqual([null, null, null, 'no_test']);
    const [off] = await world.clickhouse.query(
      raw<{ rows: string; off: string; short: string }>(`
        SELECT count() AS rows, countIf(arrayExists(model -> arraySum(credits[model]) + anyway[model] != value, ['data_driven', 'markov', 'shapley'])) AS off,
          countIf(length(credits['markov']) != length(source_ids)) AS short
        FROM model_credits FINAL WHERE profile_id = '${shop.profileId}'`),
      {},
    );
    expect(off).toEqual({ rows: String(latest_fit.purchases), off: '0', short: '0' });
    const cents = (amount: number) => Math.round(amount * 100);
    for (const model of fittedModelNames) {
      const { data, meta } = (await campaigns(model)).body;
      expect(data.map(({ entity_id }: { entity_id: string }) => entity_id).sort()).toEqual(
        [shop.entity('campaign', 'winter'), shop.entity('campaign', 'outlet')].sort(),
      );
      const given = data.reduce((sum: number, row: { outcome_value: number }) => sum + cents(row.outcome_value), 0);
      expect(given).toBe(cents(meta.to_entities));
      const parts = [meta.to_entities, meta.to_other_sources, meta.would_have_come, meta.without_touch].map(cents);
      expect(parts.reduce((sum, part) => sum + part, 0)).toBe(cents(meta.total));
      expect(meta.without_touch).toBe(7.77);
      for (const row of data) {
        expect(row.interval_basis).toBe('sampling');
        // Entities without any credit have no sampling error.
        expect(row.outcome_value_low).toBeLessThanOrEqual(row.outcome_value);
        expect(row.outcome_value_high).toBeGreaterThanOrEqual(row.outcome_value);
      }
      expect(data[0].outcome_value_low).toBeLessThan(data[0].outcome_value_high);
    }
    const first = (await campaigns('data_driven', { limit: '1' })).body;
    const second = (await campaigns('data_driven', { limit: '1', cursor: first.pagination.cursor })).body;
    expect([...first.data, ...second.data]).toEqual((await campaigns('data_driven')).body.data);
  });

  test('refitting the same data gives the same result, bit for bit', async () => {
    const before = (await models()).served_fit;
    const rows = (await campaigns('data_driven')).body.data;
    await fit();
    const after = (await models()).served_fit;
    expect(after.id).not.toBe(before.id);
    expect(after.requested_at).toBe(before.requested_at);
    expect(after.fingerprints).toEqual(before.fingerprints);
    expect((await campaigns('data_driven')).body.data).toEqual(rows);
  });

  describe('calibrated by experiments', () => {
    const spentDays = 100;
    /** Daily spend of a campaign; the ad is half of its campaign. */
    const perDay = 10;
    const cents = (amount: number) => Math.round(amount * 100);
    interface Estimated {
      entity_id: string;
      outcome_value: number;
      outcome_value_low: number;
      outcome_value_high: number;
      interval_basis: string;
      tactic: string | null;
      is_tested: boolean;
    }
    const externalTest = (name: string, lift: number, more: object = {}) => ({
      kind: 'external',
      name: 'A study of the platform',
      entity_ids: [shop.entity('campaign', name)],
      date_from: day(34),
      date_to: day(7),
      lift_pct: lift,
      low_pct: lift - 0.1,
      high_pct: lift + 0.1,
      spend: 28 * perDay,
      source: 'The platform',
      ...more,
    });
    const read = async (model: string, level = 'campaign') => {
      const { status, body } = await campaigns(model, { level });
      if (status !== 200) return { reason: body.error.reason as string, sums: [], of: () => ({}) as Estimated };
      const { meta, data } = body as { meta: Record<string, number> & { tests: string[] }; data: Estimated[] };
      const { to_entities = 0, to_other_sources = 0, would_have_come = 0, without_touch = 0, total = 0 } = meta;
      const sums = [to_entities, to_other_sources, would_have_come, without_touch].map(cents);
      expect(sums.reduce((all, one) => all + one, 0)).toBe(cents(total));
      expect(Math.min(...sums)).toBeGreaterThanOrEqual(0);
      expect(data.reduce((all, one) => all + cents(one.outcome_value), 0)).toBe(sums[0]);
      const of = (name: string) =>
        data.find(({ entity_id: id }) => id === shop.entity(level as 'campaign', name)) as Estimated;
      return { reason: null, sums, of, meta };
    };
    const voided = (id: string) => shop.post(`/api/v1/experiments/${id}/void`, { reason: 'Another one is tried.' });

    beforeAll(async () => {
      const days = Array.from({ length: spentDays }, (_, before) => day(before + 1));
      await shop.spend(
        { level: 'ad_set', date: day(1), external_id: 'set/1', campaign_external_id: 'winter', daily_budget: '20.00' },
        ...days.flatMap((date) => [
          { level: 'campaign', date, external_id: 'winter', spend: String(perDay) },
          { date, external_id: 'film', campaign_external_id: 'outlet', spend: String(perDay / 2) },
          { date, external_id: 'still', campaign_external_id: 'outlet', spend: String(perDay / 2) },
        ]),
      );
      await copyDelivery(
        { app: world.kit.app, system: world.kit.system, clickhouse: world.clickhouse } as never,
        shop.profileId,
        10_000,
      );
    });

    test('return no figure without a test at about the current spend, and tested entities change most', async () => {
      expect((await read('calibrated')).reason).toBe('no_test');
      const far = await shop.post('/api/v1/experiments', externalTest('winter', 5, { spend: 28 * perDay * 2.1 }));
      expect((await read('calibrated')).reason).toBe('no_test');
      await voided(far.id);
      const before = await read('data_driven');
      const { id } = await shop.post('/api/v1/experiments', externalTest('winter', 1));
      const after = await read('calibrated');
      expect(after.meta?.tests).toEqual([id]);
      expect((await models()).models.at(-1)).toMatchObject({ model: 'calibrated', refusal: null });
      const [winter, outlet] = [after.of('winter'), after.of('outlet')];
      expect([winter.interval_basis, winter.is_tested, winter.tactic]).toEqual(['calibrated', true, 'push']);
      expect([outlet.interval_basis, outlet.is_tested, outlet.tactic]).toEqual(['calibrated', false, 'push']);
      // One in 101 purchases of the tested days was caused by the spend of those days.
      const [bought] = await world.clickhouse.query(
        raw<{ value: string }>(`SELECT sum(value) AS value FROM attributed_conversions FINAL
          WHERE profile_id = '${shop.profileId}' AND toDate(conversion_time) BETWEEN '${day(34)}' AND '${day(7)}'`),
        {},
      );
      const measured = ((Number(bought?.value) / 100) * (1 / 101) * spentDays) / 28;
      expect(winter.outcome_value / measured).toBeCloseTo(1, 1);
      expect(winter.outcome_value_low).toBeLessThan(measured);
      expect(winter.outcome_value_high).toBeGreaterThan(measured);
      const part = (name: string) => after.of(name).outcome_value / before.of(name).outcome_value;
      expect(part('winter')).toBeLessThan(0.5);
      expect(part('outlet')).toBeLessThan(1);
      expect(part('outlet')).toBeGreaterThan(part('winter'));
      // Value that is no longer caused by any entity would have come anyway.
      expect(after.sums[2]).toBeGreaterThan(before.sums[2] ?? 0);
      expect(after.sums[3]).toBe(before.sums[3]);
      await voided(id);
      expect((await read('calibrated')).reason).toBe('no_test');
    });

    test('value that paths do not show is taken from the uncredited rest, and never more than that', async () => {
      const before = await read('data_driven');
      for (const lift of [80, 5_000]) {
        const { id } = await shop.post('/api/v1/experiments', externalTest('winter', lift));
        const after = await read('calibrated');
        expect(after.of('winter').outcome_value).toBeGreaterThan(before.of('winter').outcome_value);
        expect(after.sums[3]).toBeLessThan(before.sums[3] ?? 0);
        await voided(id);
      }
    });

    test('advice is given only where it is certain enough, with dry-run requests', async () => {
      const [winter, outlet] = ['winter', 'outlet'].map((name) => shop.entity('campaign', name));
      const known = (await advice({ margin_pct: '100' })).body;
      expect(known.meta).toMatchObject({ model: 'data_driven', judged: 2, left_alone: 0, reason: null });
      expect(known.data).toMatchObject([{ action: 'raise', tests: [] }, { action: 'raise' }]);
      const raised = known.data.find(({ entity_id: id }: { entity_id: string }) => id === winter);
      expect(raised.chance).toBeGreaterThanOrEqual(0.8);
      expect([raised.spend, raised.break_even]).toEqual([spentDays * perDay, spentDays * perDay]);
      // By at most 30%, and never automatically.
      const path = '/api/v1/adsets/set%2F1/budget';
      expect(raised.requests).toMatchObject([{ path, from_minor: 2_000, body: { daily_budget_minor: 2_600 } }]);
      expect(routes.updateAdSetBudget.body.schema.parse(raised.requests[0].body).dry_run).toBe(true);
      // The break-even lies within the interval of the caused value.
      const amid = ((100 * raised.spend) / raised.caused).toFixed(3);
      const unsure = (await advice({ margin_pct: amid, sureness: '0.99' })).body;
      expect(unsure).toMatchObject({ data: [], meta: { judged: 2, left_alone: 2, reason: 'nothing_sure' } });
      const { id } = await shop.post('/api/v1/experiments', externalTest('winter', 1));
      const tested = (await advice()).body;
      expect(tested.meta.model).toBe('calibrated');
      const lowered = tested.data.find(({ entity_id: one }: { entity_id: string }) => one === winter);
      expect(lowered).toMatchObject({
        action: 'lower',
        tests: [id],
        requests: [{ body: { daily_budget_minor: 1_400 } }],
      });
      expect(lowered.net_a_day).toBeGreaterThan(0);
      expect(tested.data.find(({ entity_id: one }: { entity_id: string }) => one === outlet)?.tests ?? []).toEqual([]);
      await voided(id);
    });

    test('a tested ad is separate from its campaign, and a member may set a campaign’s tactic', async () => {
      const ad = { entity_ids: [shop.entity('ad', 'film')], spend: 28 * (perDay / 2) };
      const { id } = await shop.post('/api/v1/experiments', externalTest('outlet', 0.5, ad));
      const [ads, whole] = [await read('calibrated', 'ad'), await read('calibrated')];
      expect(ads.of('film')).toMatchObject({ is_tested: true, interval_basis: 'calibrated' });
      expect([whole.of('outlet').is_tested, whole.of('winter').is_tested]).toEqual([true, false]);
      const rest = (before: Estimated) => before.outcome_value - ads.of('film').outcome_value;
      expect(rest(whole.of('outlet'))).toBeGreaterThan(0);
      // All levels distribute the same total.
      expect(ads.sums.slice(2)).toEqual(whole.sums.slice(2));
      const tactic = (entity: string) =>
        shop.call('PUT', `/api/v1/models/tactics/${entity}`, { tactic: 'brand' }).then(({ statusCode }) => statusCode);
      expect(await tactic(shop.entity('campaign', 'winter'))).toBe(200);
      expect(await tactic('0197a000-0000-5000-8000-000000000001')).toBe(404);
      const branded = (await read('calibrated')).of('winter');
      expect(branded.tactic).toBe('brand');
      // Little of brand search credit is caused, unless a test shows otherwise.
      expect(branded.outcome_value).toBeLessThan(0.3 * whole.of('winter').outcome_value);
      await voided(id);
    });
  });

  test('the nightly job refits only profiles with new purchases', async () => {
    const night = (hours: number) => {
      const now = () => new Date(+requestedAt + hours * 3_600_000);
      return refitModels({ app: world.kit.app, clickhouse: world.clickhouse, now }, signal);
    };
    const before = await models();
    expect(before.changed_at).toBe(changedAt().toISOString());
    // A requested fit is left to its job, and given up if that never ends.
    const waits = await shop.post('/api/v1/models/fits', {});
    expect(await night(2)).toBe(0);
    const late = limits.models.fitHours + 1;
    expect(await night(late)).toBe(1);
    const { latest_fit } = await models();
    expect(latest_fit.state).toBe('done');
    expect(latest_fit.id).not.toBe(waits.id);
    expect(Date.parse(latest_fit.requested_at)).toBe(+requestedAt + late * 3_600_000);
    expect(await night(24)).toBe(0);
  });

  test('refuses days without credits, unknown models and callers of other profiles', async () => {
    expect((await campaigns('shapley', { date_from: day(170) })).body.error.reason).toBe('outside_fit');
    for (const model of ['last_touch', 'nonsense']) {
      const { status, body } = await campaigns(model);
      expect([status, body.error.code]).toEqual([400, 'invalid_parameter']);
    }
    const other = await scene(world, { scopes: ['campaigns:read'] });
    expect((await other.ask('/api/v1/models')).body.data.latest_fit).toBeNull();
  });
});

test('a fit credits every purchase when they need several inserts', async () => {
  const shop = await scene(world, { scopes: ['campaigns:read', 'attribution:write'] });
  const { id, requested_at } = await shop.post('/api/v1/models/fits', {});
  // One more than an insert holds.
  const purchases = 10_001;
  await world.clickhouse.command(
    raw(`
    INSERT INTO attributed_conversions (profile_id, conversion_time, conversion_id, version, person_id, conversion_type, revenue_type,
      value, has_value, currency, lookback_days, touch_count, touch_ids, touch_times, source_ids)
    SELECT '${shop.profileId}', at, id, 1, id, 'purchase', 'cash', 100, true, 'USD', 90, 1, [id], [at], [17]
    FROM
    (
      SELECT reinterpretAsUUID(sipHash128(number)) AS id, toDateTime64('${requested_at.slice(0, 19)}', 3, 'UTC') - INTERVAL (1 + number % 90) DAY AS at
      FROM numbers(${purchases})
    )`),
    {},
  );
  await fitModels(
    { app: world.kit.app, clickhouse: world.clickhouse, now: () => new Date(requested_at) },
    { profileId: shop.profileId, fitId: id },
    signal,
  );
  expect((await shop.ask('/api/v1/models')).body.data.latest_fit).toMatchObject({ state: 'done', purchases });
  const [stored] = await world.clickhouse.query(
    raw<{ rows: string }>(`SELECT count() AS rows FROM model_credits FINAL WHERE fit_id = '${id}'`),
    {},
  );
  expect(Number(stored?.rows)).toBe(purchases);
});

test('refusal limits and interval widths', () => {
  const { purchases, seenPct, freshDays } = limits.models;
  expect(refusalOf(purchases - 1, 100)).toBe('too_thin');
  expect(refusalOf(purchases, seenPct - 0.01)).toBe('too_little_seen');
  expect(refusalOf(purchases, seenPct)).toBeNull();
  const now = new Date('2026-06-30T00:00:00Z');
  const at = (days: number) => ({ reason: null, requestedAt: new Date(+now - days * 86_400_000) }) as never;
  expect([currentRefusal(at(freshDays), now), currentRefusal(at(freshDays + 0.01), now)]).toEqual([null, 'stale']);
  // Fifty equal parts have no sampling error; one part with everything has the maximum.
  expect(errorOfSum(new Array(50).fill(10))).toBe(0);
  expect(errorOfSum([500])).toBeCloseTo(500, 6);
});
