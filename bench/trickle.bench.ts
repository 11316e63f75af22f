import { setTimeout as sleep } from 'node:timers/promises';
import { type ClickHouse, createClickHouse, migrate, type Observation, raw } from '@tributary/clickhouse';
import type { Postgres } from '@tributary/postgres';
import { type Bench, median, openDrillKit, p95 } from '@tributary/testkit';
import { startQueueWorker } from '@tributary/work';
import { cpuSeconds } from './cpu.ts';
import { fillShops, type Progress, Shops } from './shops.ts';

const profileCount = Number(process.env.BENCH_PROFILES ?? 1_000);
const trickleMs = Number(process.env.BENCH_SECONDS ?? 60) * 1_000;
const everyMs = 5_000;
const set = 'bench-trickle';
const rounds = 5;
/** The profiles of one batch, and how many are attributed individually for comparison: each of those takes as long as the whole batch. */
const togetherCount = Math.min(400, profileCount);
const aloneCount = Math.min(10, profileCount);
/** The polling interval, which the latencies include. */
const pollMs = 100;

/** Many profiles with occasional changes, as in a hosted service. */
export const bench: Bench = {
  name: 'trickle',
  question: 'How many profiles a second does a worker attribute many together, to one by one?',
  better: 'higher',

  async run({ progress }) {
    const kit = await openDrillKit(set, ['postgres', 'clickhouse']);
    const seen: Observation[] = [];
    const settings = { url: kit.clickhouseUrl, database: kit.clickhouseDatabase, requestTimeoutMs: 60_000 };
    await migrate(settings);
    const clickhouse = createClickHouse({ ...settings, observe: (observation) => seen.push(observation) });
    try {
      const payments = await fillShops(kit.app, clickhouse, profileCount, progress);
      const shops = new Shops(kit.app, kit.system, clickhouse, payments);
      const rates = await compareWays(shops, progress);
      const rows = await compareRows(shops, clickhouse);
      seen.length = 0;
      const { latencies, changes } = await trickle(shops, kit, clickhouse, progress);
      const batches = seen.filter(({ statement }) => statement === 'attribution_attribute').length;
      return {
        ratio: Math.round((rates.together / rates.alone) * 10) / 10,
        ratio_cpu: Math.round((rates.cpuAlone / rates.cpuTogether) * 10) / 10,
        cpu_ms_a_profile: {
          together: Math.round(rates.cpuTogether * 1e5) / 100,
          alone: Math.round(rates.cpuAlone * 1e4) / 10,
        },
        profiles_per_second_together: Math.round(rates.together),
        profiles_per_second_alone: Math.round(rates.alone * 10) / 10,
        credited_ms: {
          p50: Math.round(median(latencies)),
          p95: Math.round(p95(latencies)),
          slowest: Math.round(Math.max(...latencies)),
        },
        changes,
        batches,
        rows_compared: rows,
        profiles: profileCount,
        every_seconds: everyMs / 1_000,
        profiles_together: togetherCount,
        rounds,
      };
    } finally {
      await clickhouse.close();
      await kit.close();
    }
  },
};

/** The same batches of one conversion per profile, alternately in one call and profile by profile. */
async function compareWays(shops: Shops, progress: Progress) {
  const together: number[] = [];
  const alone: number[] = [];
  const cpu = { together: [] as number[], alone: [] as number[] };
  for (let round = 0; round <= rounds; round += 1) {
    const many = shops.ids.slice(0, togetherCount);
    await shops.changeAll(many);
    const before = cpuSeconds(set);
    const rate = many.length / (await shops.attribute(many));
    const between = cpuSeconds(set);
    const few = shops.ids.slice(0, aloneCount);
    await shops.changeAll(few);
    let seconds = 0;
    const after = cpuSeconds(set);
    for (const profileId of few) seconds += await shops.attribute([profileId]);
    cpu.alone.push((cpuSeconds(set) - after) / few.length);
    cpu.together.push((between - before) / many.length);
    progress(round, rounds, 'rounds');
    if (round === 0) continue;
    together.push(rate);
    alone.push(few.length / seconds);
  }
  return {
    together: median(together),
    alone: median(alone),
    cpuTogether: median(cpu.together.slice(1)),
    cpuAlone: median(cpu.alone.slice(1)),
  };
}

/** Both ways must produce rows with the same content. Resolves to the number of compared rows. */
async function compareRows(shops: Shops, clickhouse: ClickHouse): Promise<number> {
  const some = shops.ids.slice(0, aloneCount);
  const rows = async () => {
    const found = await clickhouse.query(
      raw<{ conversion_id: string; content_hash: string }>(
        'SELECT conversion_id, content_hash FROM attributed_conversions FINAL WHERE profile_id IN {some:Array(UUID)} ORDER BY conversion_id',
      ),
      { some },
    );
    return found.map(({ conversion_id, content_hash }) => `${conversion_id} ${content_hash}`);
  };
  const work = async (groups: readonly (readonly string[])[]) => {
    await clickhouse.command(raw('TRUNCATE TABLE attributed_conversions'), {});
    for (const group of groups) await shops.attribute(group);
    return rows();
  };
  await shops.changeAll(some);
  const together = await work([some]);
  await shops.markAll(some);
  const alone = await work(some.map((profileId) => [profileId]));
  if (together.length !== some.length || together.join() !== alone.join())
    throw new Error('Conversions worked out together differ from those worked out one by one.');
  return together.length;
}

async function trickle(
  shops: Shops,
  kit: { readonly system: Postgres; readonly database: { readonly systemUrl: string } },
  clickhouse: ClickHouse,
  progress: Progress,
) {
  const worker = startQueueWorker({
    system: kit.system,
    systemUrl: kit.database.systemUrl,
    handlers: { attribution: shops.handler },
    blame: () => 'work',
    onFailure: ({ error }) => console.error(error),
  });
  const waiting = new Map<string, { readonly cents: number; readonly since: number }[]>();
  const latencies: number[] = [];
  const startedAt = performance.now();
  let changes = 0;
  const shop = async (profileId: string) => {
    await sleep(Math.random() * everyMs);
    for (let nth = 0; performance.now() - startedAt < trickleMs; nth += 1) {
      const next = performance.now() + everyMs;
      const { id, cents } = await shops.change(profileId, nth);
      changes += 1;
      waiting.set(id, [...(waiting.get(id) ?? []), { cents, since: performance.now() }]);
      await sleep(Math.max(0, next - performance.now()));
    }
  };
  let isOver = false;
  const watch = async () => {
    // Batches overlap, so that some versions arrive after higher ones: recent polls are read once more.
    const newest: string[] = [];
    while (!isOver || waiting.size > 0) {
      const rows = await clickhouse.query(
        raw<{ conversion_id: string; value: string; version: string }>(
          'SELECT conversion_id, value, version FROM attributed_conversions WHERE version >= {since:UInt64} ORDER BY version',
        ),
        { since: newest.at(-50) ?? newest[0] ?? '0' },
      );
      const now = performance.now();
      for (const { conversion_id, value } of rows) {
        const left = waiting.get(conversion_id)?.filter(({ cents, since }) => {
          if (cents > Number(value)) return true;
          latencies.push(now - since);
          return false;
        });
        if (left?.length === 0) waiting.delete(conversion_id);
        else if (left) waiting.set(conversion_id, left);
      }
      newest.push(rows.at(-1)?.version ?? newest.at(-1) ?? '0');
      progress(Math.round(now - startedAt), trickleMs, `${latencies.length} of ${changes} credited`);
      if (now - startedAt > trickleMs + 60_000) throw new Error(`${waiting.size} payments were never credited.`);
      await sleep(pollMs);
    }
  };
  const watching = watch();
  await Promise.all(shops.ids.map(shop));
  isOver = true;
  await watching;
  await worker.stop();
  return { latencies, changes };
}
