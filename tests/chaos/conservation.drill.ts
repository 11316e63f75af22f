import { createClickHouse, migrate, raw } from '@tributary/clickhouse';
import { replay } from '@tributary/domain/attribution/room.ts';
import { createPostgres } from '@tributary/postgres';
import { buildProfile, type Drill, openDrillEngines } from '@tributary/testkit';
import { multipleModels } from '@tributary/vocabulary';
import { fillLargeProfile } from '../parity/large-profile.ts';

const sizes = { small: { people: 5_000, buckets: 3 }, full: { people: 1_000_000, buckets: 8 } } as const;
const touchesPerPerson = 12;

/** Every conversion of a large profile, looked at by the engine that divided it: do the parts make the whole? */
export const drill: Drill = {
  name: 'conservation',
  promise: 'Under every model the credits of a conversion add up to its value, to the last minor unit.',

  async run({ size, progress }) {
    const { people, buckets } = sizes[size];
    const engines = await openDrillEngines('drill-conservation', ['postgres', 'clickhouse']);
    const app = createPostgres({ url: engines.database.appUrl, poolSize: 4, statementTimeoutMs: 600_000 });
    const settings = { url: engines.clickhouseUrl, database: 'conservation', requestTimeoutMs: 900_000 };
    await migrate(settings);
    const clickhouse = createClickHouse(settings);
    try {
      const { id: profileId } = await buildProfile(app);
      await fillLargeProfile(app, clickhouse, { profileId, people, touchesPerPerson }, progress);
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
          SELECT count() AS rows, uniqExact(conversion_id) AS distinct_conversions, sum(value) AS total_value, sum(touch_count) AS total_touches,
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
          off.every((name) => counts[name] === '0'),
        conversions,
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
