import { raw } from '@tributary/clickhouse';
import { attribution } from '@tributary/domain/measurement/attribution/module.ts';
import {
  Book,
  conversionsOf,
  households,
  type Market,
  type MarketOptions,
  openMarket,
  ReportBook,
  touchesOf,
} from '@tributary/market';
import { createPostgres } from '@tributary/postgres';
import { attribute } from '@tributary/rules';
import { openTestWithClickHouse } from '@tributary/testkit';
import { attributionModelNames } from '@tributary/vocabulary';
import { startQueueWorker } from '@tributary/work';
import { type RawBuilder, sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { fillFast } from './fill-fast.ts';
import { fillVisits } from './fill-visits.ts';

const { kit, clickhouse } = await openTestWithClickHouse();

const fill = (market: Market, more: Parameters<typeof fillFast>[2] = {}) =>
  fillFast(market, { app: kit.app, system: kit.system, clickhouse }, more);

const count = async (market: Market, table: string) => {
  const { rows } = await kit.app
    .forProfile(market.profileId)
    .transaction((tx) => sql<{ n: number }>`SELECT count(*)::int AS n FROM ${sql.table(table)}`.execute(tx));
  return rows[0]?.n;
};

async function asOwner(statement: RawBuilder<unknown>): Promise<void> {
  const owner = createPostgres({ url: kit.database.ownerUrl, poolSize: 1 });
  await owner.unbound.query(statement);
  await owner.close();
}

/** Uses several batches, even for a small market. */
async function attributeAll(market: Market, batchSize = 150): Promise<void> {
  const worker = startQueueWorker({
    system: kit.system,
    systemUrl: kit.database.systemUrl,
    handlers: { attribution: attribution({ app: kit.app, clickhouse, now: () => new Date() }) },
    blame: () => 'work',
    onFailure: ({ error }) => expect.unreachable(String(error)),
    numbers: { batchSize },
  });
  try {
    await expect.poll(() => count(market, 'dirty_conversions'), { timeout: 60_000 }).toBe(0);
  } finally {
    await worker.stop();
  }
}

interface Stored {
  readonly conversion_id: string;
  readonly conversion_time: string;
  readonly conversion_type: string;
  readonly value: string;
  readonly has_value: boolean;
  readonly is_first_payment: boolean;
  readonly touch_count: number;
  readonly touch_ids: string[];
  readonly last_non_direct: number;
  readonly linear: string[];
  readonly time_decay: string[];
  readonly position_based: string[];
}

const stored = (market: Market) =>
  clickhouse.query(
    raw<Stored>(`SELECT * FROM attributed_conversions FINAL WHERE profile_id = '${market.profileId}'`),
    {},
  );

/** The stored result of each conversion, in the reference's format. */
const toReference = (row: Stored) => {
  const alone = (place: number) => row.touch_ids.map((_, index) => (index === place ? row.value : '0'));
  return {
    at: Date.parse(row.conversion_time),
    type: row.conversion_type,
    value: row.value,
    hasValue: row.has_value,
    isFirstPayment: row.is_first_payment,
    touchCount: row.touch_count,
    touchIds: row.touch_ids,
    last_touch: alone(row.touch_ids.length - 1),
    first_touch: alone(0),
    linear: row.linear,
    time_decay: row.time_decay,
    last_non_direct: alone(row.last_non_direct - 1),
    position_based: row.position_based,
  };
};

/** The expected result according to the book. */
const expected = (market: Market) =>
  new Map(
    [...households(market)].flatMap((household) =>
      conversionsOf(market, household).map((conversion) => {
        const { touches, touchCount, credits } = attribute(conversion, touchesOf(household, conversion));
        const models = attributionModelNames.map((model) => [model, credits[model].map(String)] as const);
        return [
          conversion.outcome.id,
          {
            at: conversion.at,
            type: conversion.conversionType,
            value: String(conversion.value),
            hasValue: conversion.hasValue,
            isFirstPayment: conversion.outcome.standing?.isFirstPayment ?? false,
            touchCount,
            touchIds: touches.map(({ touchId }) => touchId),
            ...Object.fromEntries(models),
          },
        ] as const;
      }),
    ),
  );

const small: MarketOptions = { seed: 5, people: 400, campaigns: 5, timeZone: 'America/Santiago' };

describe('A market in the engines', () => {
  test('is attributed exactly as in the book, conversion by conversion, to the minor unit', async () => {
    const market = openMarket(small);
    const book = new Book(market);
    const filled = await fill(market, { watch: (household) => book.add(household) });
    const { totals } = book;
    expect(filled).toEqual({ touches: totals.touches + totals.copies, outcomes: totals.outcomes });
    expect(await count(market, 'customers')).toBe(totals.customers);
    expect(await count(market, 'visitor_links')).toBe(totals.links);
    expect(await count(market, 'outcomes')).toBe(totals.outcomes);
    expect(await count(market, 'identity_conflicts')).toBeGreaterThan(0);

    await attributeAll(market);
    const rows = await stored(market);
    expect(new Map(rows.map((row) => [row.conversion_id, toReference(row)]))).toEqual(expected(market));
    expect(rows.length).toBe(totals.conversions);
    expect(rows.reduce((sum, { value }) => sum + BigInt(value), 0n)).toBe(totals.value);

    for (let time = 0; time < 2; time += 1) await fillVisits(market, clickhouse);
    const [visits] = await clickhouse.query(
      raw<{ n: number; unvisited: number }>(`
        SELECT toUInt32(count()) AS n, toUInt32(countIf(touch_id NOT IN (SELECT visit_id FROM visits WHERE profile_id = '${market.profileId}'))) AS unvisited
        FROM touches FINAL WHERE profile_id = '${market.profileId}'`),
      {},
    );
    expect(visits).toEqual({ n: totals.touches, unvisited: 0 });
  });

  test('adds up to the book’s reports, by entity and day', async () => {
    const market = openMarket({ ...small, seed: 6, reportingCurrency: 'CLP' });
    const reports = new ReportBook(market);
    await fill(market, { watch: (household) => reports.add(household) });
    await attributeAll(market);
    const cells = await clickhouse.query(
      raw<{ day: string; type: string; ad: string; outcomes: number; revenue: string }>(`
        SELECT toString(toDate(conversion_time, '${market.timeZone}')) AS day, conversion_type AS type, ad,
          toUInt32(uniqExact(conversion_id)) AS outcomes, sum(credit) AS revenue
        FROM (SELECT conversion_time, conversion_type, conversion_id, touched AS source_id, credit FROM attributed_conversions FINAL
          ARRAY JOIN source_ids AS touched, linear AS credit WHERE profile_id = '${market.profileId}') AS earned
        INNER JOIN (SELECT source_id, ad_id AS ad FROM touch_sources FINAL WHERE profile_id = '${market.profileId}') AS known USING source_id
        WHERE ad != toUUID('00000000-0000-0000-0000-000000000000')
        GROUP BY day, type, ad`),
      {},
    );
    const key = (cell: { day: string; type: string; ad: string | null }) => `${cell.day} ${cell.type} ${cell.ad}`;
    expect(new Map(cells.map((cell) => [key(cell), [cell.outcomes, cell.revenue]]))).toEqual(
      new Map(
        reports
          .cells()
          .filter(({ model, level, entityId }) => model === 'linear' && level === 'ad' && entityId !== null)
          .map(({ day, conversionType: type, entityId: ad, outcomes, revenue }) => [
            key({ day, type, ad }),
            [outcomes, String(revenue)],
          ]),
      ),
    );
    expect(cells.length).toBeGreaterThan(50);
  });

  test('ends with the same result when late events arrive after a first attribution', async () => {
    const market = openMarket({ ...small, seed: 7 });
    const onTime = await fill(market, { part: 'on_time' });
    await attributeAll(market);
    const before = new Map((await stored(market)).map((row) => [row.conversion_id, toReference(row)]));
    expect(before).not.toEqual(expected(market));

    const late = await fill(market, { part: 'late' });
    const dirty = await count(market, 'dirty_conversions');
    expect(dirty).toBeGreaterThan(0);
    expect(dirty).toBeLessThan(before.size / 2);
    await attributeAll(market);
    expect(new Map((await stored(market)).map((row) => [row.conversion_id, toReference(row)]))).toEqual(
      expected(market),
    );
    const book = new Book(market);
    for (const household of households(market)) book.add(household);
    expect(onTime.touches + late.touches).toBe(book.totals.touches + book.totals.copies);
  });

  test('is attributed correctly with paths above the maximum length and thousands of purchases by one walk-in customer', async () => {
    const market = openMarket({ ...small, seed: 8, people: 40, touchesPerPerson: 150, walkInPurchases: 5_000 });
    // Thousands of conversions arrive at once, before the planner has statistics: in production, dirty rows are usually processed before autovacuum
    // samples them.
    await asOwner(sql`ANALYZE outcomes, dirty_conversions, visitor_links`);
    await fill(market);
    await attributeAll(market, 5_000);
    const rows = await stored(market);
    expect(rows.some(({ touch_count, touch_ids }) => touch_count > touch_ids.length)).toBe(true);
    expect(rows.length).toBeGreaterThan(5_000);
    expect(new Map(rows.map((row) => [row.conversion_id, toReference(row)]))).toEqual(expected(market));
  });
});

test('restarting an interrupted fill creates no duplicates', async () => {
  const market = openMarket({ ...small, seed: 9 });
  const stopping = new AbortController();
  let seen = 0;
  const stopped = fill(market, {
    watch: () => {
      seen += 1;
      if (seen === 250) stopping.abort(new Error('enough'));
    },
    signal: stopping.signal,
  });
  await expect(stopped).rejects.toThrow('enough');
  await fill(market);
  const again = await fill(market);
  expect(await count(market, 'outcomes')).toBe(again.outcomes);
  const [touches] = await clickhouse.query(
    raw<{ n: number }>(`SELECT toUInt32(count()) AS n FROM touches FINAL WHERE profile_id = '${market.profileId}'`),
    {},
  );
  const book = new Book(market);
  for (const household of households(market)) book.add(household);
  expect(touches?.n).toBe(book.totals.touches);
});
