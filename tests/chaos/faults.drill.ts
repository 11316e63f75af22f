import { setTimeout as sleep } from 'node:timers/promises';
import { isPassed } from '@tributary/stream';
import type { Drill } from '@tributary/testkit';
import { type Fault, faults } from './faults.ts';
import { Disks } from './faults-disks.ts';
import { type FaultsScene, openFaultsScene, until } from './faults-scene.ts';
import { OutcomeSender, VisitSender } from './faults-senders.ts';
import { verdict } from './faults-verdict.ts';

const sizes = {
  small: { faultMs: 2_000, outcomes: { perSecond: 10, perRequest: 2 }, visits: { perSecond: 20, perRequest: 5 } },
  full: { faultMs: 60_000, outcomes: { perSecond: 150, perRequest: 10 }, visits: { perSecond: 150, perRequest: 10 } },
} as const;
/** How long each is given to be felt, and to be over afterwards. */
const feltMs = 30_000;
const recoveryMs = { small: 90_000, full: 120_000 } as const;
/** The whole run, after which it ends itself: a drill that hangs costs all that comes after it. */
const longestMs = { small: 200_000, full: 3_600_000 } as const;

/**
 * Outcomes and visits come in all the time, and are sent again until they are acknowledged, while one engine after the other freezes,
 * refuses, is full or loses its name, and our own clock goes wrong. FAULTS=words picks those whose name holds one of the words.
 */
export const drill: Drill = {
  name: 'faults',
  promise:
    'Whatever engine freezes, refuses, is full or loses its name: no 500, no dead letter, and what was acknowledged counts exactly once, on its day.',

  async run({ size, progress }) {
    const words = process.env.FAULTS?.split(',').map((word) => word.trim());
    const wanted = faults.filter(({ name, isSmall }) =>
      words ? words.some((word) => name.includes(word)) : size === 'full' || isSmall,
    );
    const chosen = wanted.filter(({ isOfDisk }) => !isOfDisk || Disks.canMount);
    if (chosen.length === 0) throw new Error(`No fault has one of these words in its name: ${words?.join(', ')}.`);
    const scene = await openFaultsScene('drill-faults', { hasDisks: chosen.some(({ isOfDisk }) => isOfDisk) });
    const watchdog = setTimeout(() => {
      console.error(`The drill took longer than ${longestMs[size] / 1_000} s and is given up.`);
      void Promise.race([scene.close(), sleep(20_000)]).finally(() => process.exit(1));
    }, longestMs[size]);
    try {
      const result = await runFaults(scene, chosen, size, progress);
      // Mounting a disk takes root.
      const left = wanted.filter((fault) => !chosen.includes(fault)).map(({ name }) => name);
      return { ...result, ...(left.length > 0 && { not_run: left }) };
    } finally {
      await scene.close();
      clearTimeout(watchdog);
    }
  },
};

async function runFaults(
  scene: FaultsScene,
  chosen: readonly Fault[],
  size: 'small' | 'full',
  progress: (done: number, total: number, note?: string) => void,
) {
  const outcomes = new OutcomeSender(scene, sizes[size].outcomes);
  const visits = new VisitSender(scene, sizes[size].visits).withKey(scene.key);
  for (const sender of [outcomes, visits]) sender.start();
  await until(
    'outcomes and visits are taken at all',
    60_000,
    () => outcomes.acknowledged > 0 && visits.acknowledged > 0,
  );
  // The store of visits must have something in it before it can refuse more.
  await until('visits are stored', 60_000, async () => (await scene.counts()).visits > 0);

  const recoveries: Record<string, number> = {};
  for (const [index, fault] of chosen.entries()) {
    progress(index, chosen.length, fault.name);
    recoveries[fault.name] = await meet(scene, fault, [outcomes, visits], size);
  }
  for (const sender of [outcomes, visits]) await sender.stop(recoveryMs[size]);
  await scene.drained(recoveryMs[size]);
  const counted = await verdict(scene, outcomes, visits, recoveryMs[size]);
  return {
    ...counted,
    faults: chosen.length,
    fault_seconds: sizes[size].faultMs / 1_000,
    refused_requests: outcomes.refused + visits.refused,
    slowest_recovery_seconds: Math.max(...Object.values(recoveries)),
    recovery_seconds: recoveries,
  };
}

/** Lets it happen, waits until it is felt and has lasted, ends it, and waits until all that was sent by then is taken and stored. */
async function meet(
  scene: FaultsScene,
  fault: Fault,
  senders: readonly [OutcomeSender, VisitSender],
  size: 'small' | 'full',
): Promise<number> {
  const refusedNow = () => senders[0].refused + senders[1].refused;
  const mark = {
    apiLines: scene.api.lines.length,
    workerLines: scene.worker.lines.length,
    refused: refusedNow(),
    refusedNow,
  };
  const startedAt = performance.now();
  for (const sender of senders) sender.meanwhile = fault.name;
  await fault.begin(scene);
  try {
    await until(`${fault.name}, and it is felt`, feltMs, () => fault.isFelt(scene, mark));
    await sleep(Math.max(0, startedAt + sizes[size].faultMs - performance.now()));
  } finally {
    await fault.end(scene);
  }
  const endedAt = performance.now();
  const within = recoveryMs[size];
  for (const sender of senders)
    await sender.caughtUp(within).catch((error: Error) => {
      const reasons = scene.api.lines
        .slice(mark.apiLines)
        .flatMap((line) => /"(engine away|contended)[^"]*/.exec(line)?.[0] ?? []);
      const counted = Object.entries(Object.groupBy(reasons, (reason) => reason)).map(
        ([why, of]) => `${of?.length} ${why}`,
      );
      throw new Error(`${fault.name}: ${error.message}\n${counted.slice(0, 20).join('\n')}`);
    });
  let target: string | undefined;
  await until(`${fault.name} no more, and the worker has what came meanwhile`, within, async () => {
    target ??= await scene.stream.end();
    return isPassed(await scene.stream.consumedThrough('ingestion'), target);
  });
  return Math.round((performance.now() - endedAt) / 100) / 10;
}
