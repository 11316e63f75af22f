import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectStream } from '@tributary/stream';
import { buildApiKey, buildProfile, Killable, type Testkit } from '@tributary/testkit';
import { Agent, request } from 'undici';
import { type Cpu, CpuMeter } from './cpu.ts';
import { KeepAliveClient } from './keep-alive-client.ts';
import { makeRequest, openTracked } from './visits.ts';

const connections = 64;
const inFlight = 24;

interface Figure {
  readonly per_second: number;
  /** CPU time by process; `sender` is the client. */
  readonly cpu_us: Cpu;
}

type ByProcesses = Readonly<Record<'one' | 'two', Figure>>;

/** Compares the throughput of two processes with that of one, and the CPU of every participant. */
export async function growthByProcesses(
  kit: Testkit,
  set: string,
  isSmall: boolean,
  progress: (done: number, total: number, note: string) => void,
): Promise<{ readonly collector: ByProcesses; readonly events: ByProcesses }> {
  const meter = new CpuMeter(set);
  await sleep(isSmall ? 0 : 10_000);
  await meter.learnIdle();
  const seconds = isSmall ? 1 : 10;
  const collector = await byProcesses((processes) => collecting(kit, meter, processes, seconds));
  progress(1, 2, 'collectors');
  const events = await byProcesses((processes) => recording(kit, meter, processes, seconds));
  progress(2, 2, 'APIs');
  return { collector, events };
}

const byProcesses = async (measure: (processes: number) => Promise<Figure>): Promise<ByProcesses> => ({
  one: await measure(1),
  two: await measure(2),
});

/** Visits, one per request. */
async function collecting(kit: Testkit, meter: CpuMeter, processes: number, seconds: number): Promise<Figure> {
  const key = await openTracked(kit.app);
  const stream = await connectStream({ url: kit.natsUrl, prefix: kit.streamPrefix });
  await stream.ensureStreams();
  const script = join(import.meta.dirname, 'collector-server.ts');
  const servers = Array.from(
    { length: processes },
    () =>
      new Killable<{ port: number }>(script, [kit.database.collectorUrl, kit.redisUrl, kit.natsUrl, kit.streamPrefix]),
  );
  try {
    // Prepared in advance, so that the sender's cost is not measured and no connection times out waiting.
    const prepared = Array.from({ length: 2_000 * (seconds + 1) * processes }, () => makeRequest(key, 1));
    const next = () => prepared.pop() ?? makeRequest(key, 1);
    const clients: KeepAliveClient[] = [];
    for (const server of servers)
      clients.push(await new KeepAliveClient((await server.start()).port).open(connections / processes));
    const run = async (length: number) => {
      const rates = await Promise.all(clients.map((client) => client.measure(next, length, 'HTTP/1.1 204')));
      return rates.reduce((sum, rate) => sum + rate, 0);
    };
    await run(1);
    const figure = await measured(meter, 'collector', servers, () => run(seconds), seconds);
    for (const client of clients) client.close();
    return figure;
  } finally {
    for (const server of servers) await server.kill();
    await stream.close();
  }
}

/** Payments of new customers, each request for another profile. */
async function recording(kit: Testkit, meter: CpuMeter, processes: number, seconds: number): Promise<Figure> {
  const script = join(import.meta.dirname, '../tests/chaos/events-api.ts');
  const servers = Array.from(
    { length: processes },
    () => new Killable<{ port: number }>(script, [kit.database.appUrl, kit.redisUrl, '0', String(12 / processes)]),
  );
  const agent = new Agent({ connections: inFlight });
  try {
    const ports: number[] = [];
    for (const server of servers) ports.push((await server.start()).port);
    const shops = await Promise.all(
      Array.from({ length: inFlight }, async () => {
        const { id } = await buildProfile(kit.app);
        const { headers } = await buildApiKey(kit.app, id, {
          scopes: ['attribution:write'],
          requestsPerMinute: 600_000,
        });
        return headers;
      }),
    );
    let number = 0;
    const run = async (length: number) => {
      const [startedAt, before] = [performance.now(), number];
      const lane = async (headers: Readonly<Record<string, string>>, place: number) => {
        while (performance.now() - startedAt < length * 1_000) {
          number += 1;
          const { statusCode, body } = await request(`http://127.0.0.1:${ports[place % ports.length]}/api/v1/events`, {
            method: 'POST',
            headers: { ...headers, 'content-type': 'application/json' },
            body: JSON.stringify(payment(`${processes}-${number}`)),
            dispatcher: agent,
          });
          const text = await body.text();
          if (statusCode !== 202) throw new Error(`${statusCode} ${text.slice(0, 200)}`);
        }
      };
      await Promise.all(shops.map(lane));
      return (number - before) / ((performance.now() - startedAt) / 1_000);
    };
    await run(1);
    return await measured(meter, 'api', servers, () => run(seconds), seconds);
  } finally {
    for (const server of servers) await server.kill();
    await agent.close();
  }
}

const payment = (id: string) => ({
  event_name: 'payment_received',
  idempotency_key: id,
  occurred_at: '2026-06-01T12:00:00Z',
  properties: { value: '10', currency: 'USD' },
  user_traits: { email: `${id}@example.test` },
});

async function measured(
  meter: CpuMeter,
  name: string,
  servers: readonly Killable[],
  work: () => Promise<number>,
  seconds: number,
): Promise<Figure> {
  const ours = Object.fromEntries(servers.map(({ pid }, index) => [`${name}_${index + 1}`, pid]));
  let perSecond = 0;
  const cpu = await meter.measure(1, { ...ours, sender: process.pid }, async () => {
    perSecond = await work();
  });
  const units = perSecond * seconds;
  return {
    per_second: Math.round(perSecond),
    cpu_us: Object.fromEntries(Object.entries(cpu).map(([who, us]) => [who, Math.round((us / units) * 10) / 10])),
  };
}
