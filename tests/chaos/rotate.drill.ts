import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createPostgres } from '@tributary/postgres';
import type { Drill } from '@tributary/testkit';
import { sql } from 'kysely';
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
const main = join(import.meta.dirname, '../../apps/cli/main.ts');

/**
 * Adds a key of every purpose over and over, wraps what is stored under the newest and retires the others of the envelope, while outcomes, visits and
 * webhooks come. In small new keys are made a minute old at once, so that processes meet keys that they have not loaded.
 */
export const drill: Drill = {
  name: 'rotate',
  promise:
    'While the keys of every purpose and the database passwords are rotated over and over, no request fails, no work is set aside and nothing is lost.',

  async run({ size, progress }) {
    const { seconds, everyMs, ...rates } = sizes[size];
    const scene = await openFaultsScene('drill-rotate', { hasDisks: false });
    const delivered = new Map<string, number>();
    const receiver = await openReceiver((_path, id, response) => {
      delivered.set(id, (delivered.get(id) ?? 0) + 1);
      response.writeHead(204).end();
    });
    const passwords = new PasswordRotation(scene, (environment, ...words) => tributary(scene, environment, ...words));
    const outcomes = new OutcomeSender(passwords.receiver, rates.outcomes);
    const visits = new VisitSender(passwords.receiver, rates.visits).withKey(scene.key);
    let isOver = false;
    try {
      await subscribe(scene.postgres, scene.profileId, `${receiver.origin}/hook`, scene.ring.envelope());
      for (const sender of [outcomes, visits]) sender.start();
      await until(
        'outcomes and visits are taken at all',
        60_000,
        () => outcomes.acknowledged > 0 && visits.acknowledged > 0,
      );
      const happened: string[] = [];
      const happening = (async () => {
        for (; !isOver; await sleep(1_000))
          happened.push(...(await happen(scene.postgres, scene.profileId, webhooksPerSecond)));
      })();
      const counts = { rotations: 0, rewraps: 0, rows_rewrapped: 0, retirements: 0 };
      const endsAt = performance.now() + seconds * 1_000;
      const rewrapping = (async () => {
        while (!isOver) {
          if (counts.rotations === 0 || !(await rewrapAndRetire(scene, counts))) await sleep(1_000);
        }
      })();
      // A slow machine may need longer for its first round.
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
      await Promise.all([happening, rewrapping]);
      for (const sender of [outcomes, visits]) await sender.stop(drainMs);
      await scene.drained(drainMs);
      await until('every webhook is delivered', drainMs, () => happened.every((id) => delivered.has(id))).catch(
        () => {},
      );
      const counted = await verdict(scene, outcomes, visits, drainMs);
      const { rows: setAside } = await scene.postgres.unbound.query(
        sql<{ queue: string; n: string }>`SELECT queue, count(*) AS n FROM work_set_aside GROUP BY queue`,
      );
      const undelivered = happened.filter((id) => !delivered.has(id)).length;
      const refused = outcomes.refused + visits.refused;
      return {
        ...counted,
        passed:
          counted.passed &&
          undelivered === 0 &&
          setAside.length === 0 &&
          refused === 0 &&
          counts.retirements > 0 &&
          passwords.retired.length > 0,
        ...counts,
        password_rotations: passwords.rotated,
        logins_retired: passwords.retired.length,
        requests_refused: refused,
        refusals: { ...outcomes.refusals, ...visits.refusals },
        webhooks: happened.length,
        webhooks_undelivered: undelivered,
        webhooks_doubled: [...delivered.values()].filter((times) => times > 1).length,
        set_aside: setAside,
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

/** As an operator types it. */
async function tributary(
  { engines }: FaultsScene,
  environment: Readonly<Record<string, string>>,
  ...words: string[]
): Promise<Record<string, unknown>> {
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...words, '--json'], {
    env: { ...process.env, ...environment, DATABASE_OWNER_URL: engines.database.ownerUrl },
  });
  return JSON.parse(stdout);
}

const keys = (scene: FaultsScene, ...words: string[]) => tributary(scene, scene.environment, 'keys', ...words);

/** Resolves to whether anything was retired. */
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
    // Rows that were sealed meanwhile, or a key that has not settled: the next round retires it.
    if (
      /Run "tributary keys rewrap-rows" first|Try again in a minute/.test(String((error as { stderr?: string }).stderr))
    )
      return false;
    throw error;
  }
}
