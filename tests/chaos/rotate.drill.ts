import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPostgres } from '@tributary/postgres';
import type { Drill } from '@tributary/testkit';
import { sql } from 'kysely';
import { command } from '../upgrade/old-version.ts';
import { type FaultsScene, openFaultsScene, until } from './faults-scene.ts';
import { OutcomeSender, VisitSender } from './faults-senders.ts';
import { verdict } from './faults-verdict.ts';
import { PasswordRotation } from './rotate-passwords.ts';
import { happen, openReceiver, subscribe } from './webhook-scene.ts';

const sizes = {
  small: {
    seconds: 20,
    everyMs: 8_000,
    outcomes: { perSecond: 10, perRequest: 2 },
    visits: { perSecond: 20, perRequest: 5 },
  },
  full: {
    seconds: 600,
    everyMs: 30_000,
    outcomes: { perSecond: 60, perRequest: 5 },
    visits: { perSecond: 60, perRequest: 5 },
  },
} as const;
const webhooksPerSecond = 5;
/** Rotations of keys for each rotation of database passwords, which restarts every process. */
const passwordsEvery = 4;
const drainMs = 180_000;
const root = join(import.meta.dirname, '../..');

/**
 * Repeatedly rotates the keys of every purpose, rewraps stored secrets and retires older envelope keys, while outcomes, visits and webhooks
 * arrive. The small size backdates new keys by a minute, so that processes encounter keys that they have not loaded.
 */
export const drill: Drill = {
  name: 'rotate',
  promise:
    'While keys of every purpose and database passwords are rotated repeatedly, no request fails, no work is parked and no data is lost.',

  async run({ size, progress }) {
    const { seconds, everyMs, ...rates } = sizes[size];
    const scene = await openFaultsScene('drill-rotate', { hasDisks: false });
    const delivered = new Map<string, number>();
    const receiver = await openReceiver((_path, id, response) => {
      delivered.set(id, (delivered.get(id) ?? 0) + 1);
      response.writeHead(204).end();
    });
    const passwords = new PasswordRotation(scene, (environment, ...args) => tributary(scene, environment, ...args));
    const outcomes = new OutcomeSender(passwords.receiver, rates.outcomes);
    const visits = new VisitSender(passwords.receiver, rates.visits).withKey(scene.key);
    let isOver = false;
    try {
      await subscribe(scene.postgres, scene.profileId, `${receiver.origin}/hook`, scene.ring.envelope());
      for (const sender of [outcomes, visits]) sender.start();
      await until(
        'the first outcomes and visits are accepted',
        60_000,
        () => outcomes.acknowledged > 0 && visits.acknowledged > 0,
      );
      const eventIds: string[] = [];
      const emitting = (async () => {
        for (; !isOver; await sleep(1_000))
          eventIds.push(...(await happen(scene.postgres, scene.profileId, webhooksPerSecond)));
      })();
      const counts = { rotations: 0, rewraps: 0, rows_rewrapped: 0, retirements: 0 };
      const endsAt = performance.now() + seconds * 1_000;
      const rewrapping = (async () => {
        while (!isOver) {
          if (counts.rotations === 0 || !(await rewrapAndRetire(scene, counts))) await sleep(1_000);
        }
      })();
      // A slow machine may need longer for the first round.
      const latest = endsAt + 60_000;
      while (performance.now() < (counts.retirements === 0 ? latest : endsAt)) {
        const since = performance.now();
        await keys(scene, 'rotate', 'all');
        counts.rotations += 1;
        if (size === 'small') await settleKeys(scene);
        if (counts.rotations % passwordsEvery === 1) await passwords.rotate();
        progress(
          Math.min(seconds, Math.round(seconds - (endsAt - performance.now()) / 1_000)),
          seconds,
          `rotated ${counts.rotations} times`,
        );
        await sleep(Math.max(0, everyMs - (performance.now() - since)));
      }
      isOver = true;
      await Promise.all([emitting, rewrapping]);
      for (const sender of [outcomes, visits]) await sender.stop(drainMs);
      await scene.drained(drainMs);
      await until('every webhook is delivered', drainMs, () => eventIds.every((id) => delivered.has(id))).catch(
        () => {},
      );
      const result = await verdict(scene, outcomes, visits, drainMs);
      const { rows: parkedWork } = await scene.postgres.unbound.query(
        sql<{ queue: string; n: string }>`SELECT queue, count(*) AS n FROM work_set_aside GROUP BY queue`,
      );
      const undelivered = eventIds.filter((id) => !delivered.has(id)).length;
      const refused = outcomes.refused + visits.refused;
      return {
        ...result,
        passed:
          result.passed &&
          undelivered === 0 &&
          parkedWork.length === 0 &&
          refused === 0 &&
          counts.retirements > 0 &&
          passwords.retired.length > 0,
        ...counts,
        password_rotations: passwords.rotated,
        logins_retired: passwords.retired.length,
        requests_refused: refused,
        refusals: { ...outcomes.refusals, ...visits.refusals },
        webhooks: eventIds.length,
        webhooks_undelivered: undelivered,
        webhooks_doubled: [...delivered.values()].filter((times) => times > 1).length,
        set_aside: parkedWork,
        keys_not_loaded_yet: scene.worker.lines.filter((line) => line.includes('KeyNotLoaded')).length,
      };
    } finally {
      isOver = true;
      receiver.close();
      await passwords.close();
      await scene.close();
    }
  },
};

async function settleKeys(scene: FaultsScene): Promise<void> {
  const owner = createPostgres({ url: scene.engines.database.ownerUrl, poolSize: 1 });
  await owner.unbound.query(sql`UPDATE key_ring SET created_at = created_at - interval '61 s'`);
  await owner.close();
}

/** Runs a `tributary` command. */
async function tributary(
  { engines }: FaultsScene,
  environment: Readonly<Record<string, string>>,
  ...args: string[]
): Promise<Record<string, unknown>> {
  const asOwner = { ...environment, DATABASE_OWNER_URL: engines.database.ownerUrl };
  return JSON.parse(await command(root, asOwner, ...args, '--json'));
}

const keys = (scene: FaultsScene, ...args: string[]) => tributary(scene, scene.environment, 'keys', ...args);

/** Resolves to true if a key was retired. */
async function rewrapAndRetire(
  scene: FaultsScene,
  counts: { rewraps: number; rows_rewrapped: number; retirements: number },
): Promise<boolean> {
  const done = await keys(scene, 'rewrap-rows');
  counts.rewraps += 1;
  counts.rows_rewrapped += Number(done.rewrapped);
  try {
    const retired = await keys(scene, 'retire', 'envelope');
    counts.retirements += Number(retired.retired);
    return Number(retired.retired) > 0;
  } catch (error) {
    // Newly encrypted rows or an unsettled key block the retirement. The next round retires the key.
    if (
      /Run "tributary keys rewrap-rows" first|Try again in a minute/.test(String((error as { stderr?: string }).stderr))
    )
      return false;
    throw error;
  }
}
