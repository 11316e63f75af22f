import { type ClickHouse, createClickHouse, raw } from '@tributary/clickhouse';
import { replay } from '@tributary/domain/measurement/attribution/module.ts';
import { fitModels } from '@tributary/domain/measurement/models/module.ts';
import { createPostgres, type Postgres } from '@tributary/postgres';
import { buildApiKey, buildProfile, type Drill, openApi, openDrillKit, openWarehouse } from '@tributary/testkit';
import { fittedModelNames, minuteMs } from '@tributary/vocabulary';
import { fillLargeProfile, type LargeProfile } from '../parity/large-profile.ts';

const sizes = {
  small: [
    { purchases: 3_000, touchesEach: 6, fits: 2, fill: fillAll },
    { purchases: 5_000, touchesEach: 2, fits: 1, fill: fillClickHouse },
  ],
  full: [
    { purchases: 1_000_000, touchesEach: 20, fits: 2, fill: fillAll },
    { purchases: 5_000_000, touchesEach: 4, fits: 1, fill: fillClickHouse },
  ],
} as const;
/** Time limit for a fit of a million purchases with twenty million touches, on two cores. */
const maxSeconds = 180;
/** A time after the last purchase. */
const now = new Date('2026-04-02T00:00:00.000Z');

interface FitResult {
  readonly purchases: number;
  readonly touches: number;
  /** Duration of each fit: reading, training and assigning credits. */
  readonly seconds: readonly number[];
  readonly credited: number;
  /** Purchases whose credits and baseline do not add up to their value. */
  readonly off: number;
  /** Fits of the same data that wrote different bytes than the first. */
  readonly different: number;
  readonly mostMegabytes: number;
}

export const drill: Drill = {
  name: 'fits',
  promise:
    'Under fitted models, the credits and the baseline of every purchase add up to its value, and repeated fits of the same data write the same bytes.',
  async run({ size, progress }) {
    const kit = await openDrillKit('drill-fits', ['postgres', 'redis', 'nats', 'clickhouse']);
    kit.clock.set(now);
    const warehouse = await openWarehouse(kit);
    const limitMs = 30 * minuteMs;
    const app = createPostgres({ url: kit.database.appUrl, poolSize: 4, statementTimeoutMs: limitMs });
    const clickhouse = createClickHouse({ ...warehouse.client.settings, requestTimeoutMs: limitMs });
    const api = await openApi(kit, { clickhouse });
    try {
      const results: FitResult[] = [];
      for (const { purchases, touchesEach, fits, fill } of sizes[size]) {
        const { id: profileId } = await buildProfile(app);
        const { signal } = new AbortController();
        await fill({ app, clickhouse }, { profileId, people: purchases, touchesPerPerson: touchesEach }, progress);
        await clickhouse.command(raw('OPTIMIZE TABLE attributed_conversions FINAL'), {});
        const { headers } = await buildApiKey(app, profileId, { scopes: ['attribution:write'] });
        const requestFit = async () => {
          const { statusCode, body } = await api.call({
            method: 'POST',
            url: '/api/v1/models/fits',
            headers,
            payload: {},
          });
          if (statusCode !== 202) throw new Error(`${statusCode} ${body}`);
          return JSON.parse(body).data.id as string;
        };
        const ids: string[] = [];
        const seconds: number[] = [];
        let mostMegabytes = 0;
        const memoryTimer = setInterval(() => {
          mostMegabytes = Math.max(mostMegabytes, Math.round(process.memoryUsage().rss / 2 ** 20));
        }, 250);
        for (let fit = 0; fit < fits; fit += 1) {
          const fitId = await requestFit();
          const startedAt = performance.now();
          await fitModels({ app, clickhouse, now: () => now }, { profileId, fitId }, signal);
          seconds.push(Math.round((performance.now() - startedAt) / 100) / 10);
          ids.push(fitId);
          progress(fit + 1, fits, `fits of ${purchases.toLocaleString('en')} purchases, ${seconds.at(-1)} s`);
        }
        clearInterval(memoryTimer);
        const checked = await check(clickhouse, profileId, ids);
        results.push({ purchases, touches: purchases * touchesEach, seconds, mostMegabytes, ...checked });
      }
      const isFast = size === 'small' || Math.max(...(results[0]?.seconds ?? [])) <= maxSeconds;
      const passed = results.every(
        ({ purchases, credited, off, different }) => credited === purchases && off === 0 && different === 0,
      );
      return { passed: passed && isFast, fits: results };
    } finally {
      await api.close();
      await Promise.all([app.close(), clickhouse.close()]);
      await warehouse.drop();
      await kit.close();
    }
  },
};

async function check(
  clickhouse: ClickHouse,
  profileId: string,
  ids: readonly string[],
): Promise<Pick<FitResult, 'credited' | 'off' | 'different'>> {
  const sums: { rows: string; off: string; content: string }[] = [];
  for (const id of ids) {
    const [row] = await clickhouse.query(
      raw<{ rows: string; off: string; content: string }>(`
        SELECT count() AS rows,
          countIf(arrayExists(model -> arraySum(credits[model]) + anyway[model] != value, [${fittedModelNames.map((model) => `'${model}'`).join()}])) AS off,
          sum(cityHash64(conversion_id, part, value, source_ids, mapKeys(credits), mapValues(credits), mapKeys(anyway), mapValues(anyway))) AS content
        FROM model_credits FINAL WHERE profile_id = '${profileId}' AND fit_id = '${id}'`),
      {},
    );
    if (!row) throw new Error('ClickHouse returned no row.');
    sums.push(row);
  }
  return {
    credited: Number(sums[0]?.rows),
    off: sums.reduce((sum, { off }) => sum + Number(off), 0),
    different: sums.filter(({ content, rows }) => content !== sums[0]?.content || rows !== sums[0]?.rows).length,
  };
}

interface Stores {
  readonly app: Postgres;
  readonly clickhouse: ClickHouse;
}
type Progress = (done: number, total: number, note: string) => void;

/** Fills the ledger with customers, browsers and payments, and computes their attribution. */
async function fillAll(stores: Stores, large: LargeProfile, progress: Progress): Promise<void> {
  await fillLargeProfile(stores.app, stores.clickhouse, large, progress);
  const { signal } = new AbortController();
  await replay(stores, { profileId: large.profileId, cause: 'drill', now: () => now, signal });
}

const parts = 10;

/** Generates purchases of anonymous visitors and their touches directly in ClickHouse, in parts that each cover a separate week. */
async function fillClickHouse(
  { clickhouse }: Stores,
  { profileId, people, touchesPerPerson }: LargeProfile,
  progress: Progress,
): Promise<void> {
  const each = people / parts;
  for (let part = 0; part < parts; part += 1) {
    const start = `(toDateTime64('2026-01-15 00:00:00', 3, 'UTC') + INTERVAL ${7 * part} DAY)`;
    const id = (...words: string[]) => `reinterpretAsUUID(sipHash128('${profileId}', ${words.join()}))`;
    await clickhouse.command(
      raw(`INSERT INTO touches (profile_id, visitor_id, occurred_at, touch_id, session_id, channel, source, medium, platform, campaign_id, ad_id)
        SELECT '${profileId}', ${id('number')}, ${start} + (intHash64(number * 64 + nth) % (5 * 86400000)) / 1000, ${id("'t'", 'number', 'nth')}, ${id("'s'", 'number', 'nth')},
          ['direct', 'paid_social', 'paid_search', 'email'][kind % 4 + 1], ['google', 'facebook'][kind % 2 + 1], '', 'social_ads', ${id("'k'", 'kind % 40')}, ${id("'a'", 'kind % 400')}
        FROM (SELECT number, nth, intHash64(number * 64 + nth + 1) AS kind FROM numbers(${part * each}, ${each}) ARRAY JOIN range(${touchesPerPerson}) AS nth)`),
      {},
    );
    await clickhouse.command(
      raw(`INSERT INTO attributed_conversions (profile_id, conversion_time, conversion_id, version, person_id, is_anonymous, conversion_type, revenue_type,
          value, has_value, currency, lookback_days, touch_count, touch_ids, touch_times, source_ids, applied_at)
        SELECT profile_id, max(occurred_at) + INTERVAL 1 HOUR, visitor_id, 1, visitor_id, true, 'purchase', 'cash', 1 + cityHash64(visitor_id) % 99999, true, 'USD', 90,
          count(), arraySort((one, at) -> at, groupArray(touch_id), groupArray(occurred_at)), arraySort(groupArray(occurred_at)),
          arraySort((one, at) -> at, groupArray(source_id), groupArray(occurred_at)), now64(3)
        FROM touches WHERE profile_id = '${profileId}' AND occurred_at >= ${start} AND occurred_at < ${start} + INTERVAL 6 DAY GROUP BY profile_id, visitor_id`),
      {},
    );
    progress(part + 1, parts, 'parts of the purchases');
  }
}
