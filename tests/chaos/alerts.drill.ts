import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Drill } from '@tributary/testkit';
import { countsSmaller, firesWithinMs, openWatched, prometheus, timesShorter, type Watched } from './alerts-scene.ts';
import { type Trial, trials } from './alerts-trials.ts';
import { until } from './faults-scene.ts';

/** There is no backup yet. */
const fromTheStart: readonly string[] = ['TributaryBackupOld'];

/**
 * A Prometheus of its own reads what all processes of a deployment say of themselves, with the rules that we publish. What an alert watches is broken until it
 * fires, and mended as its runbook says until it is over.
 */
export const drill: Drill = {
  name: 'alerts',
  promise:
    'An alert fires when what it watches breaks, and its runbook ends it, in a real Prometheus over a running deployment.',

  async run({ size, progress }) {
    if (!existsSync(prometheus)) throw new Error('There is no Prometheus here; .ci/run fetches it.');
    const directory = mkdtempSync(join(tmpdir(), 'alerts-'));
    const scene = await openWatched(directory);
    try {
      const chosen = trials.filter(({ isSmall }) => size === 'full' || isSmall);
      const names = chosen.flatMap(({ alerts }) => alerts);
      const seconds: Record<string, Times> = {};
      const failed: string[] = [];
      for (const [index, trial] of chosen.entries()) {
        progress(index, chosen.length, trial.alerts.join(', '));
        // The others are still to be seen.
        await tryOne(scene, trial, seconds).catch((error: Error) => failed.push(`${trial.alerts}: ${error.message}`));
      }
      const all = scene.rules.map(({ alert }) => alert);
      const untold = all.filter((alert) => !trials.some(({ alerts }) => alerts.includes(alert)));
      return {
        passed: untold.length === 0 && failed.length === 0 && names.every((alert) => seconds[alert] !== undefined),
        alerts: all.length,
        fired_and_over: Object.keys(seconds).length,
        times_shorter: timesShorter,
        counts_smaller: countsSmaller,
        ...(untold.length > 0 && { untold }),
        ...(failed.length > 0 && { failed }),
        seconds_each: seconds,
      };
    } finally {
      await scene.close();
      rmSync(directory, { recursive: true, force: true });
    }
  },
};

interface Times {
  readonly fired_after: number;
  readonly over_after: number;
}

/** Breaks it, waits until it fires, mends it and waits until it is over. */
async function tryOne(scene: Watched, trial: Trial, seconds: Record<string, Times>): Promise<void> {
  await until(`${trial.alerts.join(' and ')} do not fire yet`, firesWithinMs, async () =>
    (await scene.firing()).every((alert) => fromTheStart.includes(alert) || !trial.alerts.includes(alert)),
  );
  const brokenAt = performance.now();
  const mend = await trial.breakIt(scene);
  const firedAfter: Record<string, number> = {};
  try {
    await until(`${trial.alerts.join(' and ')} fire`, trial.withinMs ?? firesWithinMs, async () => {
      const now = await scene.firing();
      for (const alert of trial.alerts) if (now.includes(alert)) firedAfter[alert] ??= secondsSince(brokenAt);
      return trial.alerts.every((alert) => firedAfter[alert] !== undefined);
    });
  } finally {
    await mend();
  }
  const mendedAt = performance.now();
  for (const alert of trial.alerts) {
    await until(
      `${alert} is over`,
      trial.withinMs ?? firesWithinMs,
      async () => !(await scene.firing()).includes(alert),
    );
    seconds[alert] = { fired_after: firedAfter[alert] ?? 0, over_after: secondsSince(mendedAt) };
  }
}

const secondsSince = (startedAt: number) => Math.round((performance.now() - startedAt) / 100) / 10;
