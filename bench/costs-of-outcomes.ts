import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { webhooks } from '@tributary/domain/notifications/webhooks/module.ts';
import { sequenceBatch } from '@tributary/domain/tenancy/events/module.ts';
import { createPersonalDataGate } from '@tributary/operations';
import { createOutbound, localDevelopmentTargets } from '@tributary/outbound';
import type { Postgres } from '@tributary/postgres';
import { buildApiKey, buildProfile, Killable, type Testkit, testVault } from '@tributary/testkit';
import { startQueueWorker } from '@tributary/work';
import { sql } from 'kysely';
import { Agent, request } from 'undici';
import { happen, subscribe } from '../tests/chaos/webhook-scene.ts';
import type { Cpu, CpuMeter } from './cpu.ts';

const inFlight = 24;
const outcomes = 1_800;
const [subscriptions, events] = [8, 250] as const;

interface Bytes {
  readonly at_rest: number;
  readonly wal: number;
}

/** One payment of a new customer per request: within one profile, whose requests share transactions, and across profiles, which share nothing. */
export async function costOfOutcomes(
  kit: Testkit,
  meter: CpuMeter,
): Promise<{ shared: Cpu; apart: Cpu; announced: Cpu; bytes: Bytes }> {
  const shops = await Promise.all(Array.from({ length: inFlight }, () => openShop(kit.app)));
  const script = join(import.meta.dirname, '../tests/chaos/events-api.ts');
  const api = new Killable<{ port: number }>(script, [kit.database.appUrl, kit.redisUrl, '0', '12']);
  const agent = new Agent({ connections: inFlight });
  let number = 0;
  try {
    const { port } = await api.start();
    const post = async (headers: Readonly<Record<string, string>>) => {
      number += 1;
      const { statusCode, body } = await request(`http://127.0.0.1:${port}/api/v1/events`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(payment(number)),
        dispatcher: agent,
      });
      const text = await body.text();
      if (statusCode !== 202) throw new Error(`${statusCode} ${text.slice(0, 200)}`);
    };
    const send = (count: number, shopsAtOnce: number) => async () => {
      let left = count;
      const lane = async (_: unknown, place: number) => {
        while (left-- > 0) await post(shops[place % shopsAtOnce] ?? {});
      };
      await Promise.all(Array.from({ length: inFlight }, lane));
    };
    // Warms up: statements are prepared, and tables get their first pages.
    await send(outcomes / 3, inFlight)();
    const ours = { api: api.pid };
    const shared = await meter.measure(outcomes, ours, send(outcomes, 1));
    const before = await bytesOf(kit.owner);
    const apart = await meter.measure(outcomes, ours, send(outcomes, inFlight));
    const recorded = await bytesOf(kit.owner);
    const waiting = outcomes * 2 + outcomes / 3;
    const announced = await meter.measure(waiting, { worker: process.pid }, async () => {
      while ((await sequenceBatch(kit.system.unbound, new Date())) > 0);
    });
    const numbered = await bytesOf(kit.owner);
    const each = (kind: keyof Bytes) =>
      Math.round((recorded[kind] - before[kind]) / outcomes + Math.max(0, numbered[kind] - recorded[kind]) / waiting);
    return { shared, apart, announced, bytes: { at_rest: each('at_rest'), wal: each('wal') } };
  } finally {
    await api.kill();
    await agent.close();
  }
}

async function openShop(app: Postgres): Promise<Readonly<Record<string, string>>> {
  const { id } = await buildProfile(app, { reportingCurrency: 'CLP' });
  const { headers } = await buildApiKey(app, id, { scopes: ['attribution:write'], requestsPerMinute: 600_000 });
  return headers;
}

const payment = (number: number) => ({
  event_name: 'payment_received',
  idempotency_key: `event-${number}`,
  occurred_at: '2026-05-01T12:00:00Z',
  properties: { value: '19990', currency: 'CLP', branch: 'north' },
  user_traits: { external_id: `new-${number}` },
});

/** The size of all tables with indexes, and the position of the WAL. */
async function bytesOf(owner: Postgres): Promise<Bytes> {
  const { rows } = await owner.unbound.query(
    sql<{ at_rest: string; wal: string }>`
      SELECT sum(pg_total_relation_size(oid)) AS at_rest, pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') AS wal
      FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`,
  );
  return { at_rest: Number(rows[0]?.at_rest), wal: Number(rows[0]?.wal) };
}

/** From a recorded event to the stored result of its delivery, to a receiver in another process. */
export async function costOfDeliveries(kit: Testkit, meter: CpuMeter): Promise<{ cpu: Cpu; bytes: Bytes }> {
  const child = fork(join(import.meta.dirname, 'webhook-receiver.ts'), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  const outbound = createOutbound({ timeoutMs: 15_000, policy: localDevelopmentTargets });
  const stores = {
    app: kit.app,
    system: kit.system,
    outbound,
    vault: testVault,
    gate: createPersonalDataGate(kit.app),
  };
  const worker = startQueueWorker({
    system: kit.system,
    systemUrl: kit.database.systemUrl,
    handlers: { webhooks: webhooks({ ...stores, now: () => new Date(), random: Math.random }) },
    blame: () => 'work',
    onFailure: ({ error }) => console.error(error),
  });
  try {
    const profiles = await Promise.all(Array.from({ length: subscriptions }, () => buildProfile(kit.app)));
    for (const { id } of profiles) await subscribe(kit.app, id, `http://127.0.0.1:${port}/hook`);
    let expected = 0;
    const deliver = async () => {
      await sequenceBatch(kit.system.unbound, new Date());
      while ((await countDelivered(kit.system)) < expected) await sleep(50);
    };
    const announce = async () => {
      for (const { id } of profiles) await happen(kit.app, id, events);
      expected += subscriptions * events;
    };
    await announce();
    await deliver();
    await announce();
    const before = await bytesOf(kit.owner);
    const cpu = await meter.measure(subscriptions * events, { worker: process.pid }, deliver);
    const after = await bytesOf(kit.owner);
    const each = (kind: keyof Bytes) => Math.round((after[kind] - before[kind]) / (subscriptions * events));
    return { cpu, bytes: { at_rest: each('at_rest'), wal: each('wal') } };
  } finally {
    await worker.stop();
    outbound.close();
    child.kill();
  }
}

async function countDelivered(system: Postgres): Promise<number> {
  const { rows } = await system.unbound.query(
    sql<{ n: number }>`SELECT count(*)::int AS n FROM webhook_deliveries WHERE status = 'delivered'`,
  );
  return rows[0]?.n ?? 0;
}
