import { join } from 'node:path';
import { createApi } from '@tributary/api/app.ts';
import { createClickHouse } from '@tributary/clickhouse';
import { dnsOpener } from '@tributary/domain/tracking/room.ts';
import { createOutbound } from '@tributary/outbound';
import { createPostgres } from '@tributary/postgres';
import { createRedis, redisReady } from '@tributary/redis';
import { createLog } from '@tributary/telemetry';
import { createMetrics } from '@tributary/telemetry/prometheus.ts';
import {
  alternate,
  type Bench,
  buildApiKey,
  buildProfile,
  type DrillEngines,
  Killable,
  median,
  openDrillEngines,
  testApiOptions,
} from '@tributary/testkit';
import { createJobs } from '@tributary/work';
import pg from 'pg';
import { Agent, request } from 'undici';
import { another, capture, type Statement } from './captured-statements.ts';

const poolSize = 12;
const rounds = 4;
const mark = 'bench-mark-';
const sizes = { single: { events: 1, requests: 1_200 }, bulk: { events: 1_000, requests: 6 } } as const;

/** What the whole way of an event costs on top of its SQL: HTTP, limits, credential, validation, identity, money, first payments. */
export const bench: Bench = {
  name: 'events',
  question: 'How many outcomes a second does POST /events record, to the same SQL statements sent bare from Node?',
  better: 'higher',

  async run({ progress }) {
    const engines = await openDrillEngines('bench-events', ['postgres', 'redis']);
    const { appUrl } = engines.database;
    const app = createPostgres({ url: appUrl, poolSize: 2 });
    const profile = await buildProfile(app, { reportingCurrency: 'CLP' });
    const key = await buildApiKey(app, profile.id, { scopes: ['attribution:write'], requestsPerMinute: 600_000 });
    const script = join(import.meta.dirname, '../tests/chaos/events-api.ts');
    const api = new Killable<{ port: number }>(script, [appUrl, engines.redisUrl, '0', String(poolSize)]);
    const agent = new Agent({ connections: poolSize * 2 });
    const pool = new pg.Pool({ connectionString: appUrl, max: poolSize });
    let number = 0;
    try {
      const { port } = await api.start();
      const post = async (count: number) => {
        number += 1;
        const { statusCode, body } = await request(`http://127.0.0.1:${port}/api/v1/events`, {
          method: 'POST',
          headers: { ...key.headers, 'content-type': 'application/json' },
          body: JSON.stringify(bodyOf(count, `ours-${number}`)),
          dispatcher: agent,
        });
        const text = await body.text();
        if (statusCode !== 202) throw new Error(`${statusCode} ${text.slice(0, 200)}`);
      };
      await post(1);
      const results: Record<string, { ratio: number; ours: number; bare: number; statements: number }> = {};
      for (const [name, { events, requests }] of Object.entries(sizes)) {
        const statements = await captureOne(engines, key.headers, events);
        const sides = await alternate(
          rounds,
          async () => {
            const seconds = await timed(requests, poolSize * 2, () => post(events));
            return (requests * events) / seconds;
          },
          async () => {
            const replays = Array.from({ length: requests }, () => {
              number += 1;
              return another(statements, new Set([profile.id]), mark, number);
            });
            const seconds = await timed(requests, poolSize, () => replay(pool, replays.pop() ?? []));
            return (requests * events) / seconds;
          },
          (round) => progress(round + (name === 'bulk' ? rounds : 0), rounds * 2, name),
        );
        const [ours, bare] = [median(sides.ours), median(sides.bare)];
        results[name] = {
          ratio: Math.round((ours / bare) * 1_000) / 1_000,
          ours: Math.round(ours),
          bare: Math.round(bare),
          statements: statements.length,
        };
      }
      const { single, bulk } = results;
      return {
        ratio: single?.ratio ?? Number.NaN,
        ratio_bulk: bulk?.ratio,
        outcomes_per_second: { ours: single?.ours, bare: single?.bare },
        outcomes_per_second_bulk: { ours: bulk?.ours, bare: bulk?.bare },
        statements: single?.statements,
        events_in_bulk: sizes.bulk.events,
        pool: poolSize,
        rounds,
      };
    } finally {
      await api.kill();
      await Promise.all([agent.close(), pool.end(), app.close()]);
      await engines.close();
    }
  },
};

/** Payments, each of somebody new: what writes the most. */
const bodyOf = (count: number, name: string) => {
  const events = Array.from({ length: count }, (_, index) => ({
    event_name: 'payment_received',
    idempotency_key: `${name}-${index}`,
    occurred_at: '2026-05-01T12:00:00Z',
    properties: { value: '19990', currency: 'CLP', branch: 'north' },
    user_traits: { external_id: `customer-${name}-${index}` },
  }));
  return count === 1 ? events[0] : { events };
};

/** The statements of one request, in their order, from the whole API in this process. */
async function captureOne(
  { database, redisUrl }: DrillEngines,
  headers: Readonly<Record<string, string>>,
  count: number,
): Promise<Statement[]> {
  const postgres = createPostgres({ url: database.appUrl, poolSize: 1 });
  const redis = createRedis({ url: redisUrl, prefix: 'bench-capture' });
  await redisReady(redis);
  const jobs = await createJobs(database.appUrl, () => {});
  const clickhouse = createClickHouse({ url: 'http://127.0.0.1:1', database: 'none' });
  const api = await createApi({
    ...testApiOptions,
    checkAnswers: false,
    baseUrl: 'http://127.0.0.1',
    collectorUrl: 'http://127.0.0.1',
    // Recording an outcome asks neither columns nor anybody outside.
    clickhouse,
    outbound: createOutbound({ timeoutMs: 1_000 }),
    openDns: dnsOpener([], 1_000),
    postgres,
    redis,
    jobs,
    log: createLog('silent'),
    metrics: createMetrics(),
    now: () => new Date(),
    requestTimeoutMs: 30_000,
  });
  try {
    return await capture(async () => {
      const { statusCode } = await api.inject({
        method: 'POST',
        url: '/api/v1/events',
        headers: { ...headers, 'content-type': 'application/json' },
        payload: JSON.stringify(bodyOf(count, `${mark}${Date.now()}`)),
      });
      if (statusCode !== 202) throw new Error(`The captured request was answered ${statusCode}.`);
    });
  } finally {
    await api.close();
    await Promise.all([jobs.close(), postgres.close(), clickhouse.close()]);
    redis.disconnect();
  }
}

async function replay(pool: pg.Pool, statements: readonly Statement[]): Promise<void> {
  const client = await pool.connect();
  try {
    for (const { text, values } of statements) await client.query(text, [...values]);
  } finally {
    client.release();
  }
}

/** Seconds for `count` runs of `work`, so many at a time. */
async function timed(count: number, atOnce: number, work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  let left = count;
  await Promise.all(
    Array.from({ length: Math.min(atOnce, count) }, async () => {
      while (left > 0) {
        left -= 1;
        await work();
      }
    }),
  );
  return (performance.now() - startedAt) / 1_000;
}
