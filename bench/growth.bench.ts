import { type ClickHouse, createClickHouse, raw } from '@tributary/clickhouse';
import { replay } from '@tributary/domain/measurement/attribution/module.ts';
import { createPostgres, type Postgres } from '@tributary/postgres';
import {
  type Bench,
  buildApiKey,
  buildProfile,
  median,
  openApi,
  openDrillKit,
  openWarehouse,
  type TestApi,
} from '@tributary/testkit';
import { minuteMs } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { fillLargeProfile } from '../tests/parity/large-profile.ts';
import { cpuSeconds } from './cpu.ts';
import { growthByProcesses } from './growth-processes.ts';

const touchesPerPerson = 50;
const rounds = 7;
/** Each of another customer. */
const journeys = 21;
const set = 'bench-growth';

interface Size {
  readonly touches: number;
  readonly conversions: number;
  /** Sum over all processes, per touch. */
  readonly replay_cpu_us: number;
  readonly replay_us: number;
  /** GET /campaigns over all conversions under linear, per conversion. */
  readonly report_us: number;
  /** One page of a customer's journey. */
  readonly journey_ms: number;
}

/**
 * A profile with one million touches, one with ten and one with a hundred million in the same stores; then one and two processes of collector and
 * API.
 */
export const bench: Bench = {
  name: 'growth',
  question: 'How much more does a touch cost in the largest profile, to one in the smallest?',
  better: 'lower',

  async run({ progress, isSmall }) {
    const sizes = (process.env.BENCH_TOUCHES ?? (isSmall ? '20000,60000' : '1000000,10000000,100000000'))
      .split(',')
      .map(Number);
    const kit = await openDrillKit(set, ['postgres', 'redis', 'nats', 'clickhouse']);
    const warehouse = await openWarehouse(kit);
    const limitMs = 30 * minuteMs;
    const app = createPostgres({ url: kit.database.appUrl, poolSize: 4, statementTimeoutMs: limitMs });
    const clickhouse = createClickHouse({ ...warehouse.client.settings, requestTimeoutMs: limitMs });
    const api = await openApi(kit, { clickhouse, checkAnswers: false });
    try {
      const found: Size[] = [];
      for (const touches of sizes) {
        found.push(await measureSize({ app, clickhouse, api }, touches, progress));
        progress(found.length, sizes.length, JSON.stringify(found.at(-1)));
      }
      const [first, last] = [found[0], found.at(-1)];
      if (!first || !last) throw new Error('Nothing was measured.');
      const ratio = (figure: Exclude<keyof Size, 'touches' | 'conversions'>) =>
        Math.round((last[figure] / first[figure]) * 1_000) / 1_000;
      return {
        ratio: ratio('replay_cpu_us'),
        ratio_replay_time: ratio('replay_us'),
        ratio_report: ratio('report_us'),
        ratio_journey: ratio('journey_ms'),
        sizes: found,
        processes: await growthByProcesses(kit, set, isSmall, progress),
      };
    } finally {
      await api.close();
      await Promise.all([app.close(), clickhouse.close()]);
      await warehouse.drop();
      await kit.close();
    }
  },
};

interface Stores {
  readonly app: Postgres;
  readonly clickhouse: ClickHouse;
  readonly api: TestApi;
}

async function measureSize(
  { app, clickhouse, api }: Stores,
  touches: number,
  progress: (done: number, total: number, note: string) => void,
): Promise<Size> {
  const { id: profileId } = await buildProfile(app);
  const people = touches / touchesPerPerson;
  await fillLargeProfile(app, clickhouse, { profileId, people, touchesPerPerson }, progress);
  // Merges the parts, as some time after inserts.
  await clickhouse.command(raw('OPTIMIZE TABLE touches FINAL'), {});
  const [cpuBefore, startedAt] = [cpuSeconds(set), performance.now()];
  await replay(
    { app, clickhouse },
    { profileId, cause: 'bench', now: () => new Date(), signal: new AbortController().signal },
  );
  const [seconds, cpu] = [(performance.now() - startedAt) / 1_000, cpuSeconds(set) - cpuBefore];
  await clickhouse.command(raw('OPTIMIZE TABLE attributed_conversions FINAL'), {});

  const { headers } = await buildApiKey(app, profileId, {
    scopes: ['campaigns:read', 'customers:read'],
    requestsPerMinute: 600_000,
  });
  const ask = async (path: string): Promise<number> => {
    const startedAt = performance.now();
    const { statusCode, body } = await api.call({ method: 'GET', url: path, headers });
    if (statusCode !== 200) throw new Error(`${statusCode} ${body.slice(0, 300)}`);
    return performance.now() - startedAt;
  };
  const report = '/api/v1/campaigns?date_from=2026-01-01&date_to=2026-03-31&model=linear';
  const reports: number[] = [];
  for (let round = 0; round <= rounds; round += 1) reports.push(await ask(report));
  const pages: number[] = [];
  for (const id of await anyCustomers(app, profileId))
    pages.push(await ask(`/api/v1/customers/${id}/journey?limit=100`));
  const perUnit = (value: number, units: number) => Math.round((value / units) * 1e9) / 1e3;
  return {
    touches,
    conversions: people,
    replay_cpu_us: perUnit(cpu, touches),
    replay_us: perUnit(seconds, touches),
    report_us: perUnit(median(reports.slice(1)) / 1_000, people),
    journey_ms: Math.round(median(pages.slice(1)) * 10) / 10,
  };
}

async function anyCustomers(app: Postgres, profileId: string): Promise<string[]> {
  const { rows } = await app
    .forProfile(profileId)
    .transaction((tx) =>
      sql<{ id: string }>`SELECT id FROM customers WHERE profile_id = ${profileId} LIMIT ${journeys + 1}`.execute(tx),
    );
  return rows.map(({ id }) => id);
}
