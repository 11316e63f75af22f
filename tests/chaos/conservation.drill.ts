import { type ClickHouse, createClickHouse, migrate, raw } from '@tributary/clickhouse';
import { replay } from '@tributary/domain/measurement/attribution/module.ts';
import { createPostgres, type Postgres } from '@tributary/postgres';
import { buildProfile, type Drill, openDrillEngines } from '@tributary/testkit';
import { multipleModels } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { fillLargeProfile } from '../parity/large-profile.ts';

const sizes = { small: { people: 5_000, buckets: 3 }, full: { people: 1_000_000, buckets: 8 } } as const;
const touchesPerPerson = 12;

/** Checks in ClickHouse, for every conversion of a large profile, that the credits add up to its value. */
export const drill: Drill = {
  name: 'conservation',
  promise: 'Under every model the credits of a conversion add up to its value, to the minor unit.',

  async run({ size, progress }) {
    const { people, buckets } = sizes[size];
    const engines = await openDrillEngines('drill-conservation', ['postgres', 'clickhouse']);
    const app = createPostgres({ url: engines.database.appUrl, poolSize: 4, statementTimeoutMs: 600_000 });
    const settings = { ...engines.clickhouse, database: 'conservation', requestTimeoutMs: 900_000 };
    await migrate(settings);
    const clickhouse = createClickHouse(settings);
    try {
      const { id: profileId } = await buildProfile(app);
      await fillLargeProfile(app, clickhouse, { profileId, people, touchesPerPerson }, progress);
      const named = await nameAds(app, clickhouse, profileId);
      const startedAt = performance.now();
      const { conversions } = await replay(
        { app, clickhouse },
        {
          profileId,
          cause: 'drill',
          now: () => new Date(),
          signal: new AbortController().signal,
          buckets,
          progress: (done, total) => progress(done, total, 'buckets'),
        },
      );
      const replaySeconds = (performance.now() - startedAt) / 1_000;
      const [counts] = await clickhouse.query(
        raw<Record<string, string>>(`
          SELECT count() AS rows, uniqExact(conversion_id) AS distinct_conversions, sum(value) AS total_value, sum(touch_count) AS total_touches, countIf(has(touch_ids, conversion_id)) AS own_touches,
            countIf(touch_count = 0) AS without_touch, sumIf(value, touch_count = 0) AS value_without_touch,
            ${multipleModels.map((model) => `countIf(touch_count > 0 AND arraySum(shares['${model}']) != value) AS ${model}_off,`).join('\n')}
            countIf(touch_count > 0 AND arrayExists(place -> place < 1 OR place > length(touch_ids), mapValues({{map place}}))) AS single_off,
            countIf(arrayExists(units -> length(units) != length(touch_ids), mapValues({{map shares}} AS shares))) AS lengths_off,
            countIf(arrayExists(units -> arrayExists(credit -> credit < 0, units), mapValues(shares))) AS below_zero
          FROM attributed_conversions FINAL WHERE profile_id = '${profileId}'`),
        {},
      );
      const [ledger] = await app.snapshot(profileId, ({ query }) =>
        query<{ outcomes: string; value: string }>(
          'SELECT count(*) AS outcomes, (sum(reporting_amount) * 100)::bigint AS value FROM outcomes',
        ),
      );
      const off = [...multipleModels.map((model) => `${model}_off`), 'single_off', 'lengths_off', 'below_zero'];
      return {
        passed:
          counts?.rows === String(people) &&
          counts.distinct_conversions === ledger?.outcomes &&
          ledger !== undefined &&
          counts.total_value === ledger.value &&
          Number(counts.without_touch) < people / 10 &&
          // For some payments the named ad is already among the touches, for others it is not.
          Number(counts.own_touches) > 0 &&
          Number(counts.own_touches) < named &&
          off.every((name) => counts[name] === '0'),
        conversions,
        named_ads: named,
        ...counts,
        ledger_value: ledger?.value,
        replay_seconds: Math.round(replaySeconds * 10) / 10,
      };
    } finally {
      await Promise.all([clickhouse.close(), app.close()]);
      await engines.close();
    }
  },
};

/** Gives every tenth payment an ad as its origin, out of twenty ads with many visits. Resolves to the number of these payments. */
async function nameAds(app: Postgres, clickhouse: ClickHouse, profileId: string): Promise<number> {
  const ads = await clickhouse.query(
    raw<{ ad_id: string }>(
      `SELECT DISTINCT ad_id FROM touches WHERE profile_id = '${profileId}' ORDER BY ad_id LIMIT 20`,
    ),
    {},
  );
  const { numAffectedRows = 0n } = await app.forProfile(profileId).transaction((tx) =>
    sql`
      UPDATE outcomes SET origin = jsonb_build_object('channel', 'paid_social', 'source', 'facebook', 'medium', 'paid',
        'platform', 'social_ads', 'ad_id', (${ads.map(({ ad_id }) => ad_id)}::uuid[])[1 + idempotency_key::int / 10 % 20], 'click_id_kind', NULL)
      WHERE profile_id = ${profileId} AND idempotency_key::int % 10 = 0`.execute(tx),
  );
  return Number(numAffectedRows);
}
