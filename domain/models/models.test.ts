import { raw } from '@tributary/clickhouse';
import { openTestWithClickHouse, scene } from '@tributary/testkit';
import { fittedModelNames, limits } from '@tributary/vocabulary';
import { beforeAll, describe, expect, test } from 'vitest';
import { fitModels, refusalOf } from './fit-models.job.ts';
import { errorOfSum } from './list-model-campaigns.ts';
import { refusalNow } from './show-fit.ts';

const world = await openTestWithClickHouse();
const signal = new AbortController().signal;

describe('models that are fitted', { timeout: 120_000 }, () => {
  let shop: Awaited<ReturnType<typeof scene>>;
  let requestedAt: Date;
  const fit = async () => {
    const asked = await shop.post('/api/v1/models/fits', {});
    await fitModels(
      { app: world.kit.app, clickhouse: world.clickhouse, now: () => new Date(asked.requested_at) },
      { profileId: shop.profileId, fitId: asked.id },
      signal,
    );
    return asked;
  };
  const models = async () => (await shop.ask('/api/v1/models')).body.data;
  const day = (before: number) => new Date(+requestedAt - before * 86_400_000).toISOString().slice(0, 10);
  const campaigns = (model: string, more: object = {}) =>
    shop.ask(
      `/api/v1/models/${model}/campaigns?${new URLSearchParams({ date_from: day(100), date_to: day(0), ...more })}`,
    );

  /** People who come by two campaigns and directly; of every three, one buys. Made by the engine: a few thousand at once. */
  async function fill(people: number): Promise<void> {
    const id = (what: string) => `reinterpretAsUUID(sipHash128('${shop.profileId}', '${what}', number))`;
    const entity = (name: string) => `toUUID('${shop.entity('campaign', name)}')`;
    await world.clickhouse.command(
      raw(`
      INSERT INTO touches (profile_id, visitor_id, occurred_at, touch_id, session_id, channel, source, medium, platform, campaign_id)
      SELECT '${shop.profileId}', ${id('visitor')}, toDateTime64('${day(1)} 12:00:00', 3, 'UTC') - INTERVAL (number % 90) DAY - INTERVAL nth * 20 HOUR,
        reinterpretAsUUID(sipHash128(number, nth)), reinterpretAsUUID(sipHash128(number, nth, 's')),
        if(kind = 2, 'direct', 'paid_social'), if(kind = 2, 'direct', 'facebook'), if(kind = 2, '', 'paid'), if(kind = 2, '', 'social_ads'),
        multiIf(kind = 0, ${entity('winter')}, kind = 1, ${entity('outlet')}, toUUID('00000000-0000-0000-0000-000000000000'))
      FROM (SELECT number, nth, (number + nth) % 3 AS kind FROM numbers(${people}) ARRAY JOIN range(toUInt32(number % 3 + 1)) AS nth)`),
      {},
    );
    await world.clickhouse.command(
      raw(`
      INSERT INTO attributed_conversions (profile_id, conversion_time, conversion_id, version, person_id, is_anonymous, conversion_type, revenue_type,
        value, has_value, currency, lookback_days, touch_count, touch_ids, touch_times, source_ids)
      SELECT profile_id, max(occurred_at) + INTERVAL 1 HOUR, visitor_id, 1, visitor_id, true, 'purchase', 'cash', 1 + cityHash64(visitor_id) % 9999, true, 'USD', 90,
        count(), arraySort((one, at) -> at, groupArray(touch_id), groupArray(occurred_at)), arraySort(groupArray(occurred_at)), arraySort((one, at) -> at, groupArray(source_id), groupArray(occurred_at))
      FROM touches FINAL WHERE profile_id = '${shop.profileId}' AND cityHash64(visitor_id) % 3 = 0 GROUP BY profile_id, visitor_id`),
      {},
    );
    // Somebody of whom no touch is known.
    await world.clickhouse.command(
      raw(`INSERT INTO attributed_conversions (profile_id, conversion_time, conversion_id, version, person_id, conversion_type, revenue_type, value, has_value, currency, lookback_days)
      VALUES ('${shop.profileId}', '${day(2)} 10:00:00', generateUUIDv4(), 1, generateUUIDv4(), 'purchase', 'cash', 777, true, 'USD', 90)`),
      {},
    );
  }

  beforeAll(async () => {
    shop = await scene(world, { scopes: ['campaigns:read', 'attribution:write'] });
  }, 60_000);

  test('before a fit there is no figure, and how wrong the models are is known all the same', async () => {
    const { models: listed, latest_fit, errors } = await models();
    expect(listed).toMatchObject(fittedModelNames.map((model) => ({ model, refusal: 'no_fit' })));
    expect(latest_fit).toBeNull();
    expect(errors.rows.map(({ model }: { model: string }) => model)).toEqual(
      expect.arrayContaining(['last_touch', ...fittedModelNames]),
    );
    requestedAt = new Date();
    const { status, body } = await campaigns('data_driven');
    expect([status, body.error.code, body.error.reason]).toEqual([409, 'invalid_state', 'no_fit']);
  });

  test('too few purchases are refused, with the reason; a fit that waits is not asked for twice', async () => {
    const asked = await shop.post('/api/v1/models/fits', {});
    expect(asked).toMatchObject({ state: 'queued', reason: null });
    requestedAt = new Date(asked.requested_at);
    expect((await shop.post('/api/v1/models/fits', {})).id).toBe(asked.id);
    await fit();
    expect((await models()).latest_fit).toMatchObject({ id: asked.id, state: 'refused', reason: 'too_thin' });
    expect((await campaigns('markov')).body.error.reason).toBe('too_thin');
  });

  test('credits and what would have come anyway are the value, of every purchase and of the whole', async () => {
    await fill(7_500);
    const asked = await fit();
    const { latest_fit, served_fit, models: listed } = await models();
    expect(latest_fit).toMatchObject({ id: asked.id, state: 'done', reason: null, people: 7_501 });
    expect(served_fit).toEqual(latest_fit);
    expect(listed.every(({ refusal }: { refusal: string | null }) => refusal === null)).toBe(true);
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
        // Who is given nothing at all has nothing that chance could move.
        expect(row.outcome_value_low).toBeLessThanOrEqual(row.outcome_value);
        expect(row.outcome_value_high).toBeGreaterThanOrEqual(row.outcome_value);
      }
      expect(data[0].outcome_value_low).toBeLessThan(data[0].outcome_value_high);
    }
    const first = (await campaigns('data_driven', { limit: '1' })).body;
    const second = (await campaigns('data_driven', { limit: '1', cursor: first.pagination.cursor })).body;
    expect([...first.data, ...second.data]).toEqual((await campaigns('data_driven')).body.data);
  });

  test('another fit of the same data learns the same, to the last bit', async () => {
    const before = (await models()).served_fit;
    const rows = (await campaigns('data_driven')).body.data;
    await fit();
    const after = (await models()).served_fit;
    expect(after.id).not.toBe(before.id);
    expect(after.requested_at).toBe(before.requested_at);
    expect(after.fingerprints).toEqual(before.fingerprints);
    expect((await campaigns('data_driven')).body.data).toEqual(rows);
  });

  test('days that were not credited, words that are no fitted model, and strangers are refused', async () => {
    expect((await campaigns('shapley', { date_from: day(170) })).body.error.reason).toBe('outside_fit');
    for (const model of ['last_touch', 'nonsense']) {
      const { status, body } = await campaigns(model);
      expect([status, body.error.code]).toEqual([400, 'invalid_parameter']);
    }
    const other = await scene(world, { scopes: ['campaigns:read'] });
    expect((await other.ask('/api/v1/models')).body.data.latest_fit).toBeNull();
  });

  test('refusals have their borders, and an interval its width', () => {
    const { purchases, seenPct, freshDays } = limits.models;
    expect(refusalOf(purchases - 1, 100)).toBe('too_thin');
    expect(refusalOf(purchases, seenPct - 0.01)).toBe('too_little_seen');
    expect(refusalOf(purchases, seenPct)).toBeNull();
    const now = new Date('2026-06-30T00:00:00Z');
    const at = (days: number) => ({ reason: null, requestedAt: new Date(+now - days * 86_400_000) }) as never;
    expect([refusalNow(at(freshDays), now), refusalNow(at(freshDays + 0.01), now)]).toEqual([null, 'stale']);
    // Fifty equal parts are no doubt at all; one part that has everything is nothing but doubt.
    expect(errorOfSum(new Array(50).fill(10))).toBe(0);
    expect(errorOfSum([500])).toBeCloseTo(500, 6);
  });
});
