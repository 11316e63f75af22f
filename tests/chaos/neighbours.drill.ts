import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { migrate } from '@tributary/clickhouse';
import { Supervisor } from '@tributary/engines';
import { createPostgres } from '@tributary/postgres';
import { buildApiKey, buildProfile, type Drill, freePort, median, openDrillEngines, p95 } from '@tributary/testkit';
import { createVault, ensureKeys } from '@tributary/vault';
import { Agent, request } from 'undici';
import { AppProcess } from './app-process.ts';
import { ahead, type Noise, noises, requestsPerMinute, slowReaders } from './neighbours-noise.ts';

/**
 * `mostTimesSlower`: how much longer the neighbour may wait, 19 times of 20; `besideWork` where the noise is work that the API does: it shares
 * its processors with the neighbour, the stores and the drill. The small size runs beside other drills, which the neighbour feels, too: it shows
 * only that nobody stands still (before bodies were bounded and documents made once, the neighbour waited 25 and 190 times as long).
 */
const sizes = {
  small: { rounds: 2, seconds: 2, mostTimesSlower: 15, besideWork: 30 },
  full: { rounds: 6, seconds: 16, mostTimesSlower: 1.5, besideWork: 6 },
} as const;
const work: readonly Noise[] = ['documents', 'large imports'];
const exportBytes = 2_500_000;
/** How often the neighbour asks. */
const askMs = 20;

/** One caller does what costs the API most, in each of several ways; another tenant goes on with its work. */
export const drill: Drill = {
  name: 'neighbours',
  promise: 'Whatever one tenant does with its own credential, another one’s answers come as soon as before.',

  async run({ size, progress }) {
    const { rounds, seconds, mostTimesSlower, besideWork } = sizes[size];
    const scene = await openScene();
    try {
      const kinds = Object.keys(noises) as Noise[];
      const waits = new Map<Noise, number[]>(kinds.map((noise) => [noise, []]));
      const counts: Record<string, number> = { neighbour_refused: 0 };
      const add = (name: string, count: number) => {
        counts[name] = (counts[name] ?? 0) + count;
      };
      let done = 0;
      for (let round = 0; round < rounds; round += 1) {
        for (const noise of kinds) {
          const until = performance.now() + seconds * 1_000;
          const noisy = noises[noise](scene, until);
          const { took, refused } = await askOn(scene, until);
          waits.get(noise)?.push(p95(took));
          add('neighbour_refused', refused);
          for (const [name, count] of Object.entries<number>(await noisy)) add(name, count);
          done += 1;
          progress(done, rounds * kinds.length, `${noise}: ${Math.round(p95(took))} ms`);
        }
      }
      const p95Ms = Object.fromEntries([...waits].map(([noise, values]) => [noise, median(values)])) as Record<
        Noise,
        number
      >;
      const timesSlower = kinds.slice(1).map((noise) => [noise, round2(p95Ms[noise] / p95Ms.quiet)] as const);
      return {
        passed:
          timesSlower.every(([noise, times]) => times <= (work.includes(noise) ? besideWork : mostTimesSlower)) &&
          isAsExpected(counts),
        times_slower_beside: Object.fromEntries(timesSlower),
        p95_ms: Object.fromEntries(Object.entries(p95Ms).map(([noise, value]) => [noise, round2(value)])),
        ...counts,
        requests_ahead: ahead,
        slow_readers: slowReaders,
        rounds,
      };
    } finally {
      await scene.close();
    }
  },
};

/** Everybody was answered as they should be, the noisy ones too: a noise that is not made proves nothing. */
const isAsExpected = (counts: Readonly<Record<string, number>>): boolean =>
  ['neighbour_refused', 'refused_ahead', 'large_events_taken', 'large_imports_refused'].every(
    (name) => counts[name] === 0,
  ) &&
  ['answered_ahead', 'large_events_refused', 'large_imports_taken', 'documents_answered'].every(
    (name) => (counts[name] ?? 0) > 0,
  ) &&
  (counts.exports_asked ?? 0) >= slowReaders;

type Scene = Awaited<ReturnType<typeof openScene>>;

/** The neighbour's work at its own pace: its profile, and a search among its own people. */
async function askOn({ port, neighbour }: Scene, until: number): Promise<{ took: number[]; refused: number }> {
  const agent = new Agent({ connections: 256, pipelining: 1 });
  const asking: Promise<void>[] = [];
  const took: number[] = [];
  let refused = 0;
  for (let count = 0; performance.now() < until; count += 1) {
    const path = count % 2 ? '/api/v1/profile' : '/api/v1/customers/search?q=an';
    const startedAt = performance.now();
    asking.push(
      request(`http://127.0.0.1:${port}${path}`, { headers: neighbour, dispatcher: agent, headersTimeout: 30_000 })
        .then(async ({ statusCode, body }) => {
          await body.dump();
          if (statusCode !== 200) refused += 1;
        })
        .catch(() => {
          refused += 1;
        })
        .then(() => void took.push(performance.now() - startedAt)),
    );
    await sleep(askMs);
  }
  await Promise.all(asking);
  await agent.close();
  return { took, refused };
}

/** The api as an operator starts it, with its usual settings, and two tenants with people. */
async function openScene() {
  const set = 'drill-neighbours';
  // An interrupted run may have left its data behind.
  await new Supervisor(set).destroy();
  const engines = await openDrillEngines(set, ['postgres', 'redis', 'clickhouse']);
  await migrate({ ...engines.clickhouse, database: 'drill' });
  const masterKey = randomBytes(32);
  const operator = createPostgres({ url: engines.database.ownerUrl, poolSize: 1 });
  await ensureKeys(operator.unbound, createVault([{ id: 'k1', bytes: masterKey }]), new Date());
  await operator.close();
  const port = await freePort();
  const api = new AppProcess('api', 'api listens', {
    DATABASE_APP_URL: engines.database.appUrl,
    DATABASE_SYSTEM_URL: engines.database.systemUrl,
    CLICKHOUSE_URL: engines.clickhouseUrl,
    CLICKHOUSE_DATABASE: 'drill',
    REDIS_URL: engines.redisUrl,
    ENCRYPTION_KEYS: `k1:${masterKey.toString('base64')}`,
    PORT: String(port),
    HOST: '127.0.0.1',
  });
  await api.start();
  const postgres = createPostgres({ url: engines.database.appUrl, poolSize: 2 });
  const [noisy, neighbour] = [await openTenant(requestsPerMinute), await openTenant(60_000)];

  async function openTenant(allowance: number) {
    const { id } = await buildProfile(postgres);
    const { headers } = await buildApiKey(postgres, id, {
      scopes: ['customers:read', 'attribution:write'],
      requestsPerMinute: allowance,
    });
    const rows = Array.from({ length: 30 }, (_, index) => ({ email: `ana${index}@example.com`, first_name: 'Ana' }));
    await post(headers, '/api/v1/customers', { rows });
    return headers;
  }

  async function post(headers: Record<string, string>, path: string, body: object): Promise<void> {
    const { statusCode, body: answer } = await request(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (statusCode >= 300) throw new Error(`${path} answered ${statusCode}: ${text.slice(0, 200)}`);
  }

  /** Somebody of whom so much is known that their export is large. */
  const parts = 100;
  for (let part = 0; part < parts; part += 1) {
    await post(noisy, '/api/v1/events', {
      event_name: 'survey_answered',
      user_traits: { email: 'ana0@example.com' },
      properties: { note: 'x'.repeat(exportBytes / parts) },
    });
  }
  const found = await request(`http://127.0.0.1:${port}/api/v1/customers/search?q=ana0`, { headers: noisy });
  const { data } = (await found.body.json()) as { data: { customer_profile_id: string }[] };
  return {
    port,
    noisy,
    neighbour,
    exportPath: `/api/v1/customers/${data[0]?.customer_profile_id}/export`,
    async close() {
      await api.kill();
      await postgres.close();
      await engines.close();
    },
  };
}

const round2 = (value: number) => Math.round(value * 100) / 100;
