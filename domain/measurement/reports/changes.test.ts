import { setTimeout as sleep } from 'node:timers/promises';
import { raw } from '@tributary/clickhouse';
import { saveRates } from '@tributary/domain/commerce/money/module.ts';
import { priceOutcomes, repriceOutcomes } from '@tributary/domain/commerce/outcomes/module.ts';
import { auditEntries, buildMember, openTestWithClickHouse } from '@tributary/testkit';
import { hourMs } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { film, may, openShop, winter } from './reports.fixture.ts';

const world = await openTestWithClickHouse();
const { kit } = world;

/** Returns a past moment at which nothing else happened. */
async function moment(): Promise<string> {
  await sleep(5);
  const at = new Date().toISOString();
  await sleep(5);
  kit.clock.set(new Date());
  return at;
}

describe('the reasons the reasons why a figure changed', () => {
  let shop: Awaited<ReturnType<typeof openShop>>;
  const marks: string[] = [];
  let entity_id = '';

  /** Attributes what happened so far, copies it to ClickHouse and records the moment after it. */
  const mark = async () => {
    await shop.attribute();
    marks.push(await moment());
  };
  const change = async (from: number, to: number, query: object = {}) =>
    (await shop.read('/changes', { field: 'outcome_value', entity_id, from: marks[from], to: marks[to], ...query }))
      .data;
  const lines = async (from: number, to: number, query: object = {}) =>
    (await change(from, to, query)).causes.map((line: { causes: string[]; difference: string }) => [
      line.causes.join(),
      line.difference,
    ]);

  beforeAll(async () => {
    kit.clock.set(new Date());
    shop = await openShop(world);
    entity_id = shop.entity('campaign', 'winter');
    await saveRates(kit.system, 'file', [
      { day: '2026-04-01', currency: 'USD', units: '1', usd: '1' },
      { day: '2026-04-01', currency: 'EUR', units: '0.5', usd: '1' },
    ]);
    for (const [person, day] of [
      ['ana', 1],
      ['ben', 1.5],
    ] as const)
      shop.click(person, day, winter);
    await shop.pay('ana', 5, '100', { idempotency_key: 'first' });
    await shop.pay('ben', 6, '40', { idempotency_key: 'second' });
    await shop.pay('eva', 7, '60', { idempotency_key: 'third', ad_id: 'other' });
    await shop.spend({ ...film, spend: '10', currency: 'EUR' });
    await shop.settle();
    await mark();
    // A refund, and a changed amount of another payment.
    const refund = { event_name: 'refund', refund_of: 'first', occurred_at: may(9), idempotency_key: 'back' };
    await shop.post('/api/v1/events', { ...refund, properties: { value: '30', currency: 'USD' } });
    await shop.pay('ben', 6, '45', { idempotency_key: 'second' });
    await mark();
    // Two changes of one payment in one batch, and another payment.
    await shop.pay('ben', 8, '50', { idempotency_key: 'second' });
    await shop.pay('ana', 9, '7', { idempotency_key: 'fourth' });
    await shop.spend({ ...film, spend: '12', currency: 'EUR' });
    await mark();
    // Moves the ad to another campaign and changes the exchange rate of its currency.
    await saveRates(kit.system, 'file', [{ day: '2026-04-01', currency: 'EUR', units: '0.25', usd: '1' }]);
    await shop.spend({ ...film, campaign_external_id: 'spring', campaign_name: 'Spring', date: '2026-05-02' });
    await mark();
    kit.clock.set(new Date(Date.now() + hourMs));
  });

  test('are listed by cause, and the causes add up to the difference', async () => {
    expect(await change(0, 1)).toMatchObject({
      before: '140.00',
      after: '115.00',
      difference: '-25.00',
      unexplained: '0.00',
      causes: [
        { causes: ['refund'], difference: '-30.00', conversions: 1, ref: null },
        { causes: ['amount_changed'], difference: '5.00', conversions: 1 },
      ],
    });
    expect(await lines(1, 2)).toEqual(
      expect.arrayContaining([
        ['amount_changed,moved_in_time', '5.00'],
        ['outcome_recorded', '7.00'],
      ]),
    );
    const whole = await change(0, 2);
    expect([whole.before, whole.after, whole.unexplained]).toEqual(['140.00', '127.00', '0.00']);
    expect(await change(0, 2, { field: 'outcome_count' })).toMatchObject({ before: '2', after: '3', unexplained: '0' });
  });

  test('for spend: corrected delivery, a move to another campaign, a new exchange rate', async () => {
    expect(await lines(1, 2, { field: 'spend' })).toEqual([['delivery', '4.00']]);
    const all = (await shop.read('/changes', { field: 'spend', from: marks[2], to: marks[3] })).data;
    expect([all.before, all.after, all.causes]).toEqual([
      '24.00',
      '48.00',
      [{ causes: ['exchange_rate'], ref: null, difference: '24.00', conversions: 0 }],
    ]);
    expect(await lines(2, 3, { field: 'spend' })).toEqual([['entity_moved', '-24.00']]);
  });

  test('are listed conversion by conversion, page by page', async () => {
    const query = { field: 'outcome_value', entity_id, from: marks[0], to: marks[2] };
    const rows = [];
    for (let cursor: string | undefined; ; ) {
      const page = await shop.read('/changes/rows', { ...query, limit: 1, ...(cursor && { cursor }) });
      rows.push(...page.data);
      if (!page.pagination.has_next) break;
      cursor = page.pagination.cursor;
    }
    const changes = rows.map(({ causes, before, after }) => [causes.join(), before, after]);
    expect(changes).toHaveLength(4);
    expect(changes).toEqual(
      expect.arrayContaining([
        ['refund', '100.00', '70.00'],
        ['amount_changed', '40.00', '45.00'],
        ['amount_changed,moved_in_time', '45.00', '50.00'],
        ['outcome_recorded', '0.00', '7.00'],
      ]),
    );
    const refunds = await shop.read('/changes/rows', { ...query, cause: 'refund' });
    expect(refunds.data).toHaveLength(1);
    expect((await shop.read('/changes/rows', { ...query, field: 'spend' })).data).toEqual([]);
  });

  test('a change without a recorded cause is returned as unexplained, counted and logged with its query', async () => {
    const lost = await openShop(world);
    lost.click('ana', 1, winter);
    await lost.pay('ana', 5, '100', { idempotency_key: 'first' });
    await lost.settle();
    const from = await moment();
    await lost.pay('ana', 5, '80', { idempotency_key: 'first' });
    await lost.attribute();
    const to = await moment();
    // Lets the moments settle.
    kit.clock.set(new Date(Date.now() + hourMs));
    const query = { field: 'outcome_value', from, to };
    expect((await lost.read('/changes', query)).data).toMatchObject({ difference: '-20.00', unexplained: '0.00' });
    // Deletes the current row without a history entry; the row it replaced stays in the history.
    await world.clickhouse.command(
      raw(`DELETE FROM attributed_conversions WHERE profile_id = '${lost.profileId}' SETTINGS mutations_sync = 1`),
      {},
    );
    const counted = async () =>
      Number(/^tributary_unexplained_changes_total (\d+)/m.exec(await world.api.metrics.text())?.[1]);
    const before = await counted();
    expect((await lost.read('/changes', query)).data).toMatchObject({ difference: '0.00', unexplained: '100.00' });
    expect((await counted()) - before).toBe(1);
    const logged = world.api.logLines.filter((line) => line.includes('its causes do not explain'));
    expect(logged.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'warn', profile_id: lost.profileId, field: 'outcome_value', model: 'last_touch', from, to },
    ]);
  });

  test.each([
    ['a "from" after "to"', { from: may(2), to: may(1) }],
    ['a ratio', { field: 'roas', from: may(1) }],
    ['an unknown campaign', { entity_id: 'nowhere' }],
  ])('returns an error for %s', async (_, change) => {
    const query = { field: 'outcome_value', from: marks[0], to: marks[1], ...change };
    expect((await shop.refused('/changes', query))[0]).toBeGreaterThanOrEqual(400);
  });
});

test('changing a profile’s currency converts all money again and records the cause', async () => {
  kit.clock.set(new Date());
  const shop = await openShop(world);
  const { profileId, workspaceId } = shop;
  await saveRates(kit.system, 'file', [
    { day: '2026-04-01', currency: 'USD', units: '1', usd: '1' },
    { day: '2026-04-01', currency: 'EUR', units: '0.5', usd: '1' },
  ]);
  shop.click('ana', 1, winter);
  await shop.pay('ana', 5, '100', { idempotency_key: 'dollars' });
  await shop.pay('ana', 6, '30', { idempotency_key: 'euros', properties: { value: '30', currency: 'EUR' } });
  await shop.settle();
  const before = { at: await moment(), value: (await shop.read('/explain', { field: 'outcome_value' })).data.value };
  expect(Number(before.value)).toBe(160);
  const admin = await buildMember(kit.app, workspaceId, 'admin', 'person.test', new Date());
  const change = async (payload: object, by = admin) => {
    const headers = { ...by.headers({ profileId }), 'content-type': 'application/json' };
    return world.api.call({ method: 'PATCH', url: '/api/v1/profile', headers, payload });
  };
  const analyst = await buildMember(kit.app, workspaceId, 'analyst', 'person.test', new Date());
  expect((await change({ name: 'Mine' }, analyst)).statusCode).toBe(403);
  expect((await change({})).statusCode).toBe(422);
  expect((await change({ time_zone: 'Nowhere/Else' })).statusCode).toBe(422);
  const state = async () => (await shop.read('/campaigns')).meta.freshness.attribution.state;
  expect(await state()).toBe('current');
  const changed = await change({ name: 'Zapatos', reporting_currency: 'EUR' });
  expect(await state()).toBe('behind');
  expect([changed.statusCode, changed.json().data]).toMatchObject([
    200,
    { name: 'Zapatos', reporting_currency: 'EUR', time_zone: 'UTC' },
  ]);
  const [entry] = (await auditEntries(kit, { workspaceId })).filter(({ action }) => action === 'profile.updated');
  expect(entry?.detail).toMatchObject({ name: 'Zapatos', reporting_currency: 'EUR', reporting_currency_before: 'USD' });
  const { rows: jobs } = await kit.owner.unbound.query(
    sql`SELECT data FROM pgboss.job WHERE name = 'reprice-outcomes' AND data->>'profileId' = ${profileId}`,
  );
  expect(jobs).toHaveLength(1);
  expect(await repriceOutcomes(kit.app, { profileId }, AbortSignal.timeout(30_000))).toBe(2);
  expect(await repriceOutcomes(kit.app, { profileId }, AbortSignal.timeout(30_000))).toBe(0);
  // Some figures are still in the previous currency.
  expect(await state()).toBe('behind');
  await shop.attribute();
  expect(await state()).toBe('current');
  const after = { at: await moment(), value: (await shop.read('/explain', { field: 'outcome_value' })).data.value };
  expect(Number(after.value)).toBe(80);
  // Amounts in different currencies have no difference; the cause of each change is still stored.
  kit.clock.set(new Date(Date.now() + hourMs));
  const query = { field: 'outcome_value', from: before.at, to: after.at };
  expect(await shop.refused('/changes', query)).toEqual([400, 'invalid_parameter']);
  const why = await world.clickhouse.query(
    raw(`SELECT DISTINCT cause FROM attributed_conversions FINAL WHERE profile_id = '${profileId}'`),
    {},
  );
  expect(why).toEqual([{ cause: expect.stringMatching(/^currency\b/) }]);
  expect((await shop.read('/explain', { field: 'outcome_value', as_of: before.at })).data.value).toBe(before.value);
  kit.clock.set(new Date());
  // Without an exchange rate there is no value until a rate arrives.
  await change({ reporting_currency: 'ISK' });
  await repriceOutcomes(kit.app, { profileId }, AbortSignal.timeout(30_000));
  const left = async () =>
    (
      await kit.app
        .forProfile(profileId)
        .transaction((tx) =>
          sql`SELECT reporting_amount::float8 AS value, reporting_currency AS currency FROM outcomes ORDER BY amount`.execute(
            tx,
          ),
        )
    ).rows;
  expect(await left()).toEqual([
    { value: null, currency: null },
    { value: null, currency: null },
  ]);
  await saveRates(kit.system, 'file', [{ day: '2026-04-01', currency: 'ISK', units: '100', usd: '1' }]);
  await priceOutcomes(kit.app, kit.system, AbortSignal.timeout(30_000));
  expect(await left()).toEqual([
    { value: 6_000, currency: 'ISK' },
    { value: 10_000, currency: 'ISK' },
  ]);
});
