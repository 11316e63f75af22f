import { setTimeout as sleep } from 'node:timers/promises';
import { raw } from '@tributary/clickhouse';
import { saveRates } from '@tributary/domain/commerce/money/module.ts';
import { subtractAmounts, sumAmounts } from '@tributary/rules';
import { mutate, openTestWithClickHouse } from '@tributary/testkit';
import { dayMs, figureCauses, hourMs } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { banner, film, may, openShop, outlet, winter } from './reports.fixture.ts';

const world = await openTestWithClickHouse();
const { kit, clickhouse } = world;

/** A small, fast and deterministic random generator. */
function createRandom(seed: number) {
  let state = seed;
  return (sides: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

type Shop = Awaited<ReturnType<typeof openShop>>;

/** Reads every report or, for a past moment, only every `step`-th one from `from` on: all moments together cover all reports. */
async function readAll(shop: Shop, query: object = {}, from = 0, step = 1): Promise<Record<string, string>> {
  const requests: [path: string, query: object][] = [
    ['/overview', {}],
    ['/campaigns', { level: 'campaign' }],
    ['/campaigns', { level: 'ad_set', model: 'linear' }],
    ['/campaigns', { level: 'ad', model: 'last_non_direct' }],
    ['/campaigns/trend', { level: 'ad', entity_ids: shop.entity('ad', 'film') }],
    ['/campaigns/unattributed', { model: 'time_decay', level: 'ad' }],
    ['/campaigns/platform-comparison', { model: 'position_based' }],
    ['/explain', { model: 'linear', field: 'outcome_value', entity_id: shop.entity('campaign', 'winter') }],
    ['/explain', { field: 'spend' }],
    ['/ads/film', { model: 'first_touch' }],
    ['/campaigns/unattributed/conversions', {}],
  ];
  const answers: [string, string][] = [];
  for (const [path, own] of requests.filter((_, index) => index % step === from))
    answers.push([`${path} ${JSON.stringify(own)}`, await shop.read(path, { ...own, ...query })]);
  return Object.fromEntries(answers);
}

/** Drops the fields that only the current ledger knows, so that past and present responses are comparable. */
// biome-ignore lint/suspicious/noExplicitAny: whatever the answers hold.
function figuresOf(answers: Record<string, any>) {
  const rest = { original_amount: 0, original_currency: 0, rate: 0, rate_date: 0, left_out: 0 };
  return Object.fromEntries(
    Object.entries(answers).map(([name, { data, pagination }]) => [
      name,
      {
        pagination,
        data: data.conversions
          ? { ...data, conversions: data.conversions.map((row: object) => ({ ...row, ...rest })) }
          : data,
      },
    ]),
  );
}

describe('reports as of a past moment', { timeout: 300_000 }, () => {
  test('equal the report shown at that moment after random changes, and never change later', async () => {
    const roll = createRandom(7);
    const shop = await openShop(world, {
      requestsPerMinute: 100_000,
      scopes: ['campaigns:read', 'attribution:write', 'goals:write'],
    });
    await saveRates(kit.system, 'file', [
      { day: '2026-04-01', currency: 'EUR', units: '0.9', usd: '1' },
      { day: '2026-04-01', currency: 'USD', units: '1', usd: '1' },
      { day: '2026-04-01', currency: 'CLP', units: '950', usd: '1' },
    ]);
    const people = ['ana', 'ben', 'eva', 'leo', 'mia', 'zoe'];
    const keys = new Map<string, string>();
    const someone = () => people[roll(people.length)] as string;
    const ads = [winter, outlet, { campaign: 'outlet' }, { ad: 'film' }, {}];
    const pay = (key = `k-${roll(20)}`) => {
      const person = keys.get(key) ?? someone();
      keys.set(key, person);
      return shop.pay(person, 2 + roll(28) + roll(10) / 10, 10 + roll(9_000) / 100, { idempotency_key: key });
    };
    const reportSpend = (more: object = {}) =>
      shop.spend({
        ...[film, banner][roll(2)],
        date: may(1 + roll(20)).slice(0, 10),
        spend: `${roll(900) / 10}`,
        currency: ['USD', 'EUR'][roll(2)],
        impressions: roll(1_000),
        clicks: roll(100),
        ...more,
      });
    const acts: (() => unknown)[] = [
      () => shop.click(someone(), 1 + roll(28), ads[roll(ads.length)]),
      () => shop.click(someone(), 1 + roll(28), ads[roll(ads.length)]),
      () => pay(),
      () => pay(),
      () => reportSpend(),
      // Once the campaign itself reports a day, the day no longer counts from its ads.
      () =>
        reportSpend({
          level: 'campaign',
          external_id: 'winter',
          name: 'Winter',
          ad_set_external_id: undefined,
          campaign_external_id: undefined,
          campaign_name: undefined,
          ad_set_name: undefined,
        }),
      () =>
        reportSpend({
          campaign_external_id: ['winter', 'outlet', 'spring'][roll(3)],
          ad_set_external_id: `set-${roll(3)}`,
          name: `Film ${roll(3)}`,
        }),
      () =>
        saveRates(kit.system, 'file', [
          { day: may(1 + roll(9)).slice(0, 10), currency: 'EUR', units: `${0.8 + roll(20) / 100}`, usd: '1' },
        ]),
      () =>
        shop.post('/api/v1/customers', {
          rows: [{ email: `${someone()}@example.test`, external_id: `shared-${roll(4)}` }],
        }),
    ];
    const marks: { at: string; seen: Record<string, string> }[] = [];
    const recordMark = async () => {
      await shop.settle();
      kit.clock.set(new Date());
      marks.push({ at: new Date().toISOString(), seen: await readAll(shop) });
      // Simulates a worker that died between writing the history row and replacing the result.
      if (marks.length % 2 === 1)
        await clickhouse.command(
          raw(
            `INSERT INTO attribution_history SELECT *, 1, 'refund', now64(3) FROM attributed_conversions FINAL WHERE profile_id = '${shop.profileId}'`,
          ),
          {},
        );
      await new Promise((done) => setTimeout(done, 5));
    };
    for (let round = 0; round < 3; round += 1) {
      kit.clock.set(new Date());
      for (let change = 0; change < 18; change += 1) await acts[roll(acts.length)]?.();
      if (round === 2)
        await kit.app
          .forWorkspace(shop.workspaceId)
          .transaction((tx) =>
            sql`UPDATE profiles SET time_zone = 'America/Santiago', reporting_currency = 'CLP' WHERE id = ${shop.profileId}`.execute(
              tx,
            ),
          );
      await recordMark();
    }
    kit.clock.set(new Date(Date.now() + hourMs));
    const first = [];
    for (const [index, { at }] of marks.entries()) first.push(await readAll(shop, { as_of: at }, index % 2, 2));
    for (const [index, { seen }] of marks.entries()) {
      const again = first[index] ?? {};
      const same = Object.fromEntries(Object.keys(again).map((name) => [name, seen[name]]));
      expect(figuresOf(again as never)).toEqual(figuresOf(same as never));
    }
    expect(new Set(marks.map(({ seen }) => JSON.stringify(figuresOf(seen as never)))).size).toBe(marks.length);

    const [at0 = '', at1 = '', at2 = ''] = marks.map(({ at }) => at);
    const campaign = shop.entity('campaign', 'winter');
    for (const [from, to, query] of [
      [at0, at1, { field: 'outcome_value', model: 'linear', entity_id: campaign }],
      [at0, at1, { field: 'outcome_value', model: 'position_based', entity_id: 'unattributed', level: 'ad' }],
      [at0, at1, { field: 'spend', entity_id: campaign }],
      [at0, at2, { field: 'attributed_outcome_count', model: 'time_decay', entity_id: campaign }],
      [at1, at2, { field: 'outcome_count' }],
    ] as const) {
      const { data } = await shop.read('/changes', { ...query, from, to });
      for (const [moment, value] of [
        [from, data.before],
        [to, data.after],
      ])
        expect((await shop.read('/explain', { ...query, as_of: moment })).data.value ?? '0').toBe(value);
      const causes = data.causes as { difference: string; causes: string[] }[];
      expect(Number(sumAmounts(causes.map(({ difference }) => difference)))).toBe(
        Number(subtractAmounts(data.after, data.before)),
      );
      expect(Number(data.unexplained)).toBe(0);
      const rows = (await shop.read('/changes/rows', { ...query, from, to, limit: 200 })).data;
      const steps = rows.flatMap((row: { before: string; after: string }) => [Number(row.after), -Number(row.before)]);
      const ofRows = causes.filter((one) => !((one.causes[0] as string) in figureCauses));
      expect(steps.reduce((sum: number, one: number) => sum + one, 0)).toBeCloseTo(
        ofRows.reduce((sum, one) => sum + Number(one.difference), 0),
      );
    }
    expect(await shop.refused('/changes', { field: 'spend', from: at1, to: at2 })).toEqual([400, 'invalid_parameter']);

    kit.clock.set(new Date());
    for (let change = 0; change < 20; change += 1) await acts[roll(acts.length)]?.();
    await shop.settle();
    kit.clock.set(new Date(Date.now() + dayMs));
    expect(await readAll(shop, { as_of: marks[0]?.at }, 0, 2)).toEqual(first[0]);
  });

  test('return the settled moment that was read, after which no change can arrive', async () => {
    kit.clock.set(new Date());
    const shop = await openShop(world);
    const now = kit.clock.now();
    const { meta } = await shop.read('/campaigns', { as_of: now.toISOString() });
    expect(meta.as_of).toBe(new Date(+now - 10 * 60_000).toISOString());
    expect(meta.freshness).toEqual({
      attribution: { state: 'current', waiting_since: null },
      delivery: { state: 'current', waiting_since: null },
    });
    expect((await shop.read('/campaigns')).meta).not.toHaveProperty('as_of');
    // Delivery that is not copied to ClickHouse yet holds the moment back.
    await shop.spend({ ...film, spend: '5' });
    kit.clock.set(new Date(+now + dayMs));
    const held = await shop.read('/overview', { as_of: new Date(+now + hourMs).toISOString() });
    expect(Date.parse(held.meta.as_of)).toBeLessThan(+now);
  });

  test('closing a month stores its moment: later reads return the closed value and whether it changed since', async () => {
    kit.clock.set(new Date());
    const shop = await openShop(world);
    const close = async (month: string) => {
      const answer = await shop.call('POST', '/api/v1/closings', { month });
      return { status: answer.statusCode, ...answer.json() };
    };
    expect(await close(new Date().toISOString().slice(0, 7))).toMatchObject({
      status: 409,
      error: { code: 'invalid_state' },
    });
    await shop.spend({ ...film, spend: '1' });
    shop.click('ana', 1, winter);
    await shop.pay('ana', 2, 30);
    await shop.pay('bob', 2, 20);
    await shop.settle();
    expect((await shop.rows()).Winter).not.toHaveProperty('closed_value');
    await sleep(5);
    // The time a moment takes to settle.
    kit.clock.set(new Date(Date.now() + 10 * 60_000));
    const { data: closing, status } = await close('2026-05');
    expect(status).toBe(201);
    expect(closing).toMatchObject({ month: '2026-05', closed_by: { kind: 'api_key' } });
    const reported = await shop.rows({ as_of: closing.as_of });
    await sleep(5);
    kit.clock.set(new Date(Date.now() + hourMs));
    expect(await close('2026-05')).toMatchObject({ status: 200, data: closing });
    expect(await shop.rows()).toMatchObject({ Winter: { closed_value: 30, changed_since: false } });

    await shop.pay('ana', 3, 15);
    await shop.settle();
    expect(await shop.rows({ level: 'ad' })).toMatchObject({
      Film: { outcome_value: 45, closed_value: 30, changed_since: true },
    });
    const rest = await shop.read('/campaigns/unattributed');
    expect(rest.data).toMatchObject({ outcome_value: 20, closed_value: 20, changed_since: false });
    expect(rest.meta.closed_as_of).toBe(closing.as_of);
    expect(await shop.rows({ as_of: closing.as_of })).toEqual(reported);
    const changes = await shop.read('/changes', { field: 'outcome_value', from: closing.as_of });
    expect(changes.data).toMatchObject({ difference: '15.00', causes: [{ difference: '15.00' }] });
    // Closed values are returned only for exactly the closed month.
    const part = await shop.read('/campaigns', { date_to: '2026-05-30' });
    expect(part.data[0]).not.toHaveProperty('closed_value');
    expect((await shop.ask('/api/v1/closings')).body).toMatchObject({
      data: [closing],
      pagination: { has_next: false, cursor: '2026-05' },
    });
  });

  test.each([
    ['in the future', 1],
    ['beyond the retention of history', -731],
  ])('returns 400 for a moment %s', async (_, days) => {
    kit.clock.set(new Date());
    const shop = await openShop(world);
    const as_of = new Date(+kit.clock.now() + days * dayMs).toISOString();
    for (const path of ['/campaigns', '/campaigns/unattributed', '/overview', `/explain`])
      expect(await shop.refused(path, { as_of, ...(path === '/explain' && { field: 'spend' }) })).toEqual([
        400,
        'invalid_parameter',
      ]);
  });

  test('treat results written before history existed as always present, and what they replaced as never present', async () => {
    kit.clock.set(new Date());
    const shop = await openShop(world);
    shop.click('ana', 1, winter);
    await shop.pay('ana', 2, 30);
    await shop.settle();
    const never = `applied_at = toDateTime64(0, 3, 'UTC')`;
    await mutate(
      clickhouse,
      `ALTER TABLE {{local attributed_conversions}} UPDATE ${never} WHERE profile_id = '${shop.profileId}'`,
    );
    kit.clock.set(new Date(Date.now() + hourMs));
    const rows = await shop.rows({ as_of: new Date(Date.now() - 30 * dayMs).toISOString() });
    expect(Object.values(rows)).toMatchObject([{ outcome_value: 30 }]);
  });
});
