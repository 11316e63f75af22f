import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { webhooks } from '@tributary/domain/notifications/webhooks/module.ts';
import { sequenceBatch } from '@tributary/domain/tenancy/events/module.ts';
import { createPersonalDataGate } from '@tributary/operations';
import { createOutbound, localDevelopmentTargets } from '@tributary/outbound';
import type { Postgres } from '@tributary/postgres';
import { alternate, type Bench, buildProfile, median, openDrillKit, testVault } from '@tributary/testkit';
import { startQueueWorker } from '@tributary/work';
import { sql } from 'kysely';
import { Pool } from 'undici';
import { happen, subscribe } from '../tests/chaos/webhook-scene.ts';

/** Enough to measure the steady state rather than the start of a burst. */
const [subscriptions, events, rounds] = [8, 1_500, 5] as const;
const total = subscriptions * events;

/** Both sides post to the same receiver, another process, over the same number of connections. */
export const bench: Bench = {
  name: 'deliveries',
  question:
    'How many webhooks a second does a worker deliver, from the log to the kept result, beside undici posting the same signed bodies bare?',
  better: 'higher',

  async run({ progress }) {
    const kit = await openDrillKit('bench-deliveries', ['postgres']);
    const child = fork(join(import.meta.dirname, 'webhook-receiver.ts'), {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const [{ port }] = (await once(child, 'message')) as [{ port: number }];
    const origin = `http://127.0.0.1:${port}`;
    const outbound = createOutbound({ timeoutMs: 15_000, policy: localDevelopmentTargets });
    const pool = new Pool(origin, { connections: 8 * subscriptions });
    const now = () => new Date();
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
      handlers: { webhooks: webhooks({ ...stores, now, random: Math.random }) },
      blame: () => 'work',
      onFailure: ({ error }) => console.error(error),
    });
    try {
      const profiles = await Promise.all(Array.from({ length: subscriptions }, () => buildProfile(kit.app)));
      for (const { id } of profiles) await subscribe(kit.app, id, `${origin}/hook`);
      const headers = {
        'content-type': 'application/json',
        'webhook-id': profiles[0]?.id ?? '',
        'webhook-timestamp': '1780000000',
        'webhook-signature': `v1,${'A'.repeat(43)}=`,
      };
      const body = JSON.stringify({ id: profiles[0]?.id, type: 'recompute.completed', data: 'x'.repeat(230) });
      const ours = async () => {
        for (const { id } of profiles) await happen(kit.app, id, events);
        const before = await countReceived(child);
        const since = performance.now();
        while ((await sequenceBatch(kit.system.unbound, now())) > 0);
        while ((await countReceived(child)) < before + total) await sleep(5);
        while ((await countWaiting(kit.system)) > 0) await sleep(5);
        return perSecond(since);
      };
      const bare = async () => {
        const since = performance.now();
        await Promise.all(
          Array.from({ length: total }, async () => {
            const answer = await pool.request({ path: '/hook', method: 'POST', headers, body });
            await answer.body.dump();
          }),
        );
        return perSecond(since);
      };
      const sides = await alternate(rounds, ours, bare, progress);
      const [own, raw] = [median(sides.ours), median(sides.bare)];
      return {
        ratio: own / raw,
        ours_per_second: Math.round(own),
        bare_per_second: Math.round(raw),
        deliveries: total,
      };
    } finally {
      await worker.stop();
      await pool.close();
      outbound.close();
      child.kill();
      await kit.close();
    }
  },
};

/** Deliveries whose success has not been stored yet. */
async function countWaiting(system: Postgres): Promise<number> {
  const { rows } = await system.unbound.query(
    sql<{ n: number }>`SELECT count(*)::int AS n FROM webhook_deliveries WHERE status = 'waiting'`,
  );
  return rows[0]?.n ?? 0;
}

const perSecond = (since: number): number => total / ((performance.now() - since) / 1_000);

async function countReceived(child: ChildProcess): Promise<number> {
  child.send('how many');
  const [{ received }] = (await once(child, 'message')) as [{ received: number }];
  return received;
}
