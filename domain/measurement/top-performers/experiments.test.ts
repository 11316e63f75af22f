import { openTestWithClickHouse } from '@tributary/testkit';
import { dayMs } from '@tributary/vocabulary';
import { type RawBuilder, sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { liftTested } from './lift-tested.ts';
import { crowd, openAds } from './top-performers.fixture.ts';

const world = await openTestWithClickHouse();
const { kit } = world;
const begin = kit.clock.now();

describe('ads measured by an experiment', () => {
  let shop: Awaited<ReturnType<typeof openAds>>;
  const grades = async () => {
    await shop.rebuild();
    const { body } = await shop.get({ limit: '50' });
    return Object.fromEntries(
      body.data.map((ad: { ad_external_id: string; truth_grade: string; maturity_stage: string }) => [
        ad.ad_external_id,
        `${ad.truth_grade} ${ad.maturity_stage}`,
      ]),
    );
  };
  const externalTest = (more: object = {}) => ({
    kind: 'external',
    name: 'A study of the platform',
    entity_ids: [shop.entity('campaign', 'winter')],
    date_from: '2026-05-01',
    date_to: '2026-05-28',
    lift_pct: 4.2,
    low_pct: 1.1,
    high_pct: 7.3,
    // Spend over 28 days; the campaign's ads cost 200 in the scored 28 days.
    spend: 200,
    source: 'The platform',
    ...more,
  });
  const refused = async (path: string, body: object = {}) => {
    const answer = await shop.call('POST', `/api/v1/experiments${path}`, body);
    return [answer.statusCode, answer.json().error?.code, answer.json().error?.reason];
  };

  /** Copies a payment with new ids and the given changes; `n` counts the copies. */
  const copyPayments = (of: RawBuilder<unknown>, changes: RawBuilder<unknown>, count: number) =>
    shop.ledger.transaction((tx) =>
      sql`INSERT INTO outcomes SELECT (jsonb_populate_record(NULL::outcomes,
          to_jsonb(o) || jsonb_build_object('id', gen_random_uuid(), 'idempotency_key', gen_random_uuid()) || ${changes})).*
        FROM (SELECT * FROM outcomes WHERE ${of} ORDER BY id LIMIT 1) o, generate_series(0, ${count - 1}::int) n`.execute(
        tx,
      ),
    );

  // Each test uses its own shop, because other experiments, delivery or payments would change its grades.
  beforeEach(async () => {
    kit.clock.set(begin);
    shop = await openAds(world, { scopes: ['campaigns:read', 'attribution:write', 'goals:write'] });
    await shop.tell(
      { external_id: 'film', ad_set_external_id: 'broad', campaign_external_id: 'winter' },
      { external_id: 'banner', ad_set_external_id: 'broad', campaign_external_id: 'winter' },
      { external_id: 'other', ad_set_external_id: 'loyal', campaign_external_id: 'outlet' },
      ...crowd(4),
    );
    await shop.earn('film');
    await shop.earn('other');
    await shop.earn('crowd-0', { properties: { value: '1.00', currency: 'USD' } });
    await copyPayments(sql`amount = 1`, sql`jsonb_build_object()`, 49);
    await shop.settle();
  });

  test('have the grade lift and are calibrated, unlike all other ads [top-016] [top-019] [top-036] [top-037]', async () => {
    const before = await grades();
    expect(before).toMatchObject({
      film: 'attributed early',
      banner: 'predicted cold',
      other: 'attributed early',
      'crowd-0': 'attributed mature',
      'crowd-1': 'predicted cold',
    });
    const { id } = await shop.post('/api/v1/experiments', externalTest());
    const after = await grades();
    expect(after).toEqual({ ...before, film: 'lift calibrated', banner: 'lift calibrated' });
    expect((await shop.ids({ truth_grades: 'lift' })).toSorted()).toEqual(['banner', 'film']);
    await shop.post(`/api/v1/experiments/${id}/void`, { reason: 'The ads kept running.' });
    expect(await grades()).toEqual(before);
  });

  test('only while the test is recent and the spend near the tested one, and only below the tested entity', async () => {
    const ads = new Map([
      ['a', { parentIds: ['set', 'campaign'] }],
      ['b', { parentIds: ['set', 'campaign'] }],
      ['c', { parentIds: [] }],
    ]);
    const spent = [
      { ad_id: 'a', spend: '30' },
      { ad_id: 'b', spend: '70' },
      { ad_id: 'c', spend: '100' },
    ];
    const of = (entity: string, dailySpend: number | null) =>
      [...liftTested([{ entityIds: [entity], dailySpend }], spent, ads, 10)].join('');
    expect([of('campaign', 10), of('set', 5), of('campaign', 20), of('c', 10)]).toEqual(['ab', 'ab', 'ab', 'c']);
    expect([of('campaign', 4.9), of('campaign', 20.1), of('campaign', null), of('x', 10)]).toEqual(['', '', '', '']);
    const { id } = await shop.post(
      '/api/v1/experiments',
      externalTest({ date_from: '2025-10-01', date_to: '2025-10-28' }),
    );
    expect(await grades()).toMatchObject({ film: 'attributed early' });
    await shop.post(`/api/v1/experiments/${id}/void`, { reason: 'too old' });
  });

  test('refuses entities of another profile, inverted intervals and tests without an end', async () => {
    const { id } = await shop.post('/api/v1/experiments', externalTest());
    await shop.post(`/api/v1/experiments/${id}/void`, { reason: 'The ads kept running.' });
    expect((await refused('', externalTest({ entity_ids: ['0197a000-0000-5000-8000-000000000001'] })))[0]).toBe(404);
    expect((await refused('', externalTest({ low_pct: 9 })))[1]).toBe('validation_error');
    expect((await refused('', externalTest({ date_to: '2026-04-01' })))[1]).toBe('validation_error');
    const { data } = (await shop.ask('/api/v1/experiments')).body;
    expect(data).toMatchObject([{ id }]);
    expect(await refused(`/${id}/start`)).toEqual([409, 'invalid_state', 'wrong_state']);
  });

  describe('region tests', () => {
    const regions = Array.from({ length: 12 }, (_, n) => `CL-${String.fromCharCode(65 + n)}`);
    /** Payments of a region, as copies of one that was sent. */
    const pay = async (count: (region: string) => number, from: number, until: number) => {
      for (const region of regions) {
        const apart = (until - from) / 1_000 / count(region);
        const externalTest = sql`jsonb_build_object('region', ${region}::text, 'occurred_at', ${new Date(from)}::timestamptz + n * make_interval(secs => ${apart}::float8))`;
        await copyPayments(sql`event_name = 'payment_received'`, externalTest, count(region));
      }
    };
    const plan = (more: object = {}) => ({
      kind: 'regions',
      name: 'Does winter earn anything?',
      entity_ids: [shop.entity('campaign', 'winter')],
      date_from: new Date(+kit.clock.now() + dayMs).toISOString().slice(0, 10),
      days: 7,
      cool_down_days: 0,
      expected_effect_pct: 60,
      ...more,
    });
    const base = (region: string) => 20 + 2 * regions.indexOf(region);

    test('have a plan with its power, cannot start when underpowered, and return no result before the end', async () => {
      expect(await refused('', plan())).toEqual([409, 'invalid_state', 'too_few_regions']);
      const now = +kit.clock.now();
      await pay((region) => 3 * base(region) + (regions.indexOf(region) % 5), now - 21 * dayMs, now);
      const weak = await shop.post('/api/v1/experiments', plan({ expected_effect_pct: 0.01 }));
      expect(weak.power).toMatchObject({ verdict: 'not_enough', regions: 12 });
      expect(await refused(`/${weak.id}/start`)).toEqual([409, 'invalid_state', 'underpowered']);
      const draft = await shop.post('/api/v1/experiments', plan());
      expect(draft).toMatchObject({ state: 'draft', power: { verdict: 'enough' }, readout: null });
      expect(draft.power.smallest_effect_pct).toBeGreaterThan(0.01);
      // One region of each pair of similar size.
      expect(draft.held_out_regions).toHaveLength(6);
      const twin = await shop.post('/api/v1/experiments', plan());
      expect(await shop.post(`/api/v1/experiments/${draft.id}/start`, {})).toMatchObject({ state: 'running' });
      expect(await refused(`/${twin.id}/start`)).toEqual([409, 'invalid_state', 'overlapping']);

      const start = Date.parse(`${draft.starts_on}T00:00:00Z`);
      const isOut = (region: string) => draft.held_out_regions.includes(region);
      await pay((region) => Math.round(base(region) * (isOut(region) ? 1 : 1.5)), start, start + 7 * dayMs);
      kit.clock.advance(5 * dayMs);
      expect(await refused(`/${draft.id}/stop`)).toEqual([409, 'invalid_state', 'not_over']);
      expect((await shop.ask(`/api/v1/experiments/${draft.id}`)).body.data.readout).toBeNull();
      kit.clock.advance(4 * dayMs);
      const { readout, state } = await shop.post(`/api/v1/experiments/${draft.id}/stop`, {});
      expect(state).toBe('ended');
      expect(readout.lift_pct).toBeGreaterThan(45);
      expect(readout.lift_pct).toBeLessThan(55);
      expect(readout.low_pct).toBeGreaterThan(30);
      expect(readout.low_pct).toBeLessThan(readout.lift_pct);
      expect(readout.high_pct).toBeGreaterThan(readout.lift_pct);
      expect(readout.chance).toBeLessThan(0.05);
      expect((await shop.ask(`/api/v1/experiments/${draft.id}`)).body.data.readout).toEqual(readout);

      expect(await refused(`/${twin.id}/start`)).toEqual([409, 'invalid_state', 'begun']);
      // No payments arrive during the next test, so it has nothing to read.
      const next = await shop.post('/api/v1/experiments', plan());
      await shop.post(`/api/v1/experiments/${next.id}/start`, {});
      kit.clock.advance(30 * dayMs);
      expect(await refused(`/${next.id}/stop`)).toEqual([409, 'invalid_state', 'nothing_bought']);
    });
  });
});
