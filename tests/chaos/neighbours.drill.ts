import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { migrate } from '@tributary/clickhouse';
import { Supervisor } from '@tributary/engines';
import { createPostgres } from '@tributary/postgres';
import { buildApiKey, buildProfile, type Drill, freePort, median, openDrillEngines, p95 } from '@tributary/testkit';
import { createVault, ensureKeys } from '@tributary/vault';
import { Agent, request } from 'undici';
import { AppProcess } from './app-process.ts';

/**
 * `mostTimesSlower`: how much longer the neighbour may wait, 19 times of 20. The small size runs beside other drills, which the neighbour feels,
 * too: it shows only that nobody stands still (before the gate held its locks apart, the neighbour waited 40 times as long).
 */
const sizes = {
  small: { rounds: 3, seconds: 6, mostTimesSlower: 10 },
  full: { rounds: 9, seconds: 16, mostTimesSlower: 1.5 },
} as const;
/** Of the noisy tenant's key, as most keys have it. */
const requestsPerMinute = 300;
const ahead = 40;
const slowReaders = 12;
const exportBytes = 2_500_000;
/** How often the neighbour asks. */
const askMs = 20;

/** One tenant sends everything ahead over one connection, or reads large answers slowly; another one goes on with its work. */
export const drill: Drill = {
  name: 'neighbours',
  promise: 'Whatever one tenant does with its own credential, another one’s answers come as soon as before.',

  async run({ size, progress }) {
    const { rounds, seconds, mostTimesSlower } = sizes[size];
    const scene = await openScene();
    try {
      const waits: Record<Noise, number[]> = { quiet: [], 'sent ahead': [], 'read slowly': [] };
      const counts = { answered_ahead: 0, refused_ahead: 0, exports_asked: 0, neighbour_refused: 0 };
      let done = 0;
      for (let round = 0; round < rounds; round += 1) {
        for (const noise of ['quiet', 'sent ahead', 'read slowly'] as const) {
          const until = performance.now() + seconds * 1_000;
          const noisy = makeNoise[noise](scene, until);
          const { took, refused } = await askOn(scene, until);
          waits[noise].push(p95(took));
          counts.neighbour_refused += refused;
          const made = await noisy;
          for (const [name, count] of Object.entries(made)) counts[name as keyof typeof counts] += count;
          done += 1;
          progress(done, rounds * 3, `${noise}: ${Math.round(p95(took))} ms`);
        }
      }
      const quiet = median(waits.quiet);
      const timesSlower = {
        ahead: round2(median(waits['sent ahead']) / quiet),
        slowly: round2(median(waits['read slowly']) / quiet),
      };
      return {
        passed:
          Math.max(timesSlower.ahead, timesSlower.slowly) <= mostTimesSlower &&
          counts.neighbour_refused === 0 &&
          counts.refused_ahead === 0 &&
          counts.answered_ahead > 0 &&
          counts.exports_asked >= slowReaders,
        times_slower_beside_requests_sent_ahead: timesSlower.ahead,
        times_slower_beside_slow_readers: timesSlower.slowly,
        p95_ms: Object.fromEntries(Object.entries(waits).map(([noise, values]) => [noise, round2(median(values))])),
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

type Noise = 'quiet' | 'sent ahead' | 'read slowly';
type Scene = Awaited<ReturnType<typeof openScene>>;

const makeNoise: Record<Noise, (scene: Scene, until: number) => Promise<Record<string, number>>> = {
  quiet: async () => ({}),

  /** As often as its key allows for ever: all searches of a burst are written before the first answer is read. */
  'sent ahead': async ({ port, noisy }, until) => {
    const counts = { answered_ahead: 0, refused_ahead: 0 };
    while (performance.now() < until) {
      const next = sleep((ahead / requestsPerMinute) * 60_000);
      const statuses = await sendAhead(port, noisy.authorization);
      counts.answered_ahead += statuses.filter((status) => status === 200).length;
      counts.refused_ahead += statuses.filter((status) => status !== 200).length;
      await next;
    }
    return counts;
  },

  'read slowly': async ({ port, noisy, exportPath }, until) => {
    const lasting = String((until - performance.now()) / 1_000);
    const args = [String(port), exportPath, noisy.authorization, String(slowReaders), lasting];
    const { stdout } = await promisify(execFile)('python3', [join(import.meta.dirname, 'slow-readers.py'), ...args]);
    return { exports_asked: Number(stdout) };
  },
};

/** The statuses in their order; what the connection lost in its end counts as 0. */
function sendAhead(port: number, authorization: string): Promise<number[]> {
  const one = `GET /api/v1/customers/search?q=an HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: ${authorization}\r\n\r\n`;
  return new Promise((resolve) => {
    const connection = connect(port, '127.0.0.1', () => connection.write(one.repeat(ahead)));
    let text = '';
    const statuses = () => [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
    connection.setTimeout(30_000, () => connection.destroy());
    connection.on('error', () => {});
    connection.on('data', (chunk) => {
      text += chunk;
      // Each answer ends with the brace of its body; the last one ends the connection.
      if (statuses().length === ahead && text.endsWith('}')) connection.destroy();
    });
    connection.on('close', () => resolve([...statuses(), ...Array<number>(ahead).fill(0)].slice(0, ahead)));
  });
}

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
