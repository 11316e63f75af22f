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
/** Time limits for a fault to take effect, and for the recovery after it. */
const effectMs = 30_000;
const recoveryMs = { small: 90_000, full: 120_000 } as const;
/** Limit for the whole run. The process exits after it, so that a hanging drill does not block the drills that follow. */
const runLimitMs = { small: 200_000, full: 3_600_000 } as const;

/**
 * Sends outcomes and visits continuously, with retries until they are acknowledged. Meanwhile, one engine after the other freezes, rejects writes,
 * runs out of space or loses its host name, and our clock is shifted. FAULTS=words selects the faults whose name contains one of the words.
 */
export const drill: Drill = {
  name: 'faults',
  promise:
    'When an engine freezes, rejects writes, is full or loses its host name, no request gets a 500, no visit becomes a dead letter, and acknowledged data counts exactly once, on its day.',

  async run({ size, progress }) {
    const words = process.env.FAULTS?.split(',').map((word) => word.trim());
    const selected = faults.filter(({ name, isSmall }) =>
      words ? words.some((word) => name.includes(word)) : size === 'full' || isSmall,
    );
    const chosen = selected.filter(({ needsDisks }) => !needsDisks || Disks.canMount);
    if (chosen.length === 0) throw new Error(`No fault name contains any of these words: ${words?.join(', ')}.`);
    const scene = await openFaultsScene('drill-faults', { hasDisks: chosen.some(({ needsDisks }) => needsDisks) });
    const watchdog = setTimeout(() => {
      console.error(`The drill took longer than ${runLimitMs[size] / 1_000} s and is aborted.`);
      void Promise.race([scene.close(), sleep(20_000)]).finally(() => process.exit(1));
    }, runLimitMs[size]);
    try {
      const result = await runFaults(scene, chosen, size, progress);
      // Mounting a disk requires root, so disk faults may be skipped.
      const skipped = selected.filter((fault) => !chosen.includes(fault)).map(({ name }) => name);
      return { ...result, ...(skipped.length > 0 && { not_run: skipped }) };
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
  await until('outcomes and visits are accepted', 60_000, () => outcomes.acknowledged > 0 && visits.acknowledged > 0);
  // ClickHouse must have stored some visits before it can reject more.
  await until('visits are stored', 60_000, async () => (await scene.counts()).visits > 0);

  const recoveries: Record<string, number> = {};
  for (const [index, fault] of chosen.entries()) {
    progress(index, chosen.length, fault.name);
    recoveries[fault.name] = await runFault(scene, fault, [outcomes, visits], size);
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

/** Injects the fault until it has had an effect and lasted long enough. Then ends it and waits until all requests are accepted and stored. */
async function runFault(
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
    await until(`${fault.name}, and it has an effect`, effectMs, () => fault.hasEffect(scene, mark));
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
  await until(`${fault.name} has ended, and the worker has processed the backlog`, within, async () => {
    target ??= await scene.stream.end();
    return isPassed(await scene.stream.consumedThrough('ingestion'), target);
  });
  return Math.round((performance.now() - endedAt) / 100) / 10;
}
