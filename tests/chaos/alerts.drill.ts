import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Drill } from '@tributary/testkit';
import {
  type AlertsScene,
  countDivisor,
  durationDivisor,
  fireTimeoutMs,
  openAlertsScene,
  prometheus,
} from './alerts-scene.ts';
import { type Trial, trials } from './alerts-trials.ts';
import { until } from './faults-scene.ts';

/** Fires from the start, because there is no backup yet. */
const firingInitially: readonly string[] = ['TributaryBackupOld'];

/**
 * Scrapes all processes of a deployment with a real Prometheus and the published rules. For each alert, causes the problem until the alert fires,
 * then applies the fix from its runbook until it resolves.
 */
export const drill: Drill = {
  name: 'alerts',
  promise:
    'In a real Prometheus over a running deployment, each alert fires when its problem occurs and resolves after the fix from its runbook.',

  async run({ size, progress }) {
    if (!existsSync(prometheus)) throw new Error('Prometheus is missing; .ci/run downloads it.');
    const directory = mkdtempSync(join(tmpdir(), 'alerts-'));
    const scene = await openAlertsScene(directory);
    try {
      const chosen = trials.filter(({ isSmall }) => size === 'full' || isSmall);
      const names = chosen.flatMap(({ alerts }) => alerts);
      const seconds: Record<string, Times> = {};
      const failed: string[] = [];
      for (const [index, trial] of chosen.entries()) {
        progress(index, chosen.length, trial.alerts.join(', '));
        // One failure must not stop the remaining trials.
        await runTrial(scene, trial, seconds).catch((error: Error) => failed.push(`${trial.alerts}: ${error.message}`));
      }
      const all = scene.rules.map(({ alert }) => alert);
      const untested = all.filter((alert) => !trials.some(({ alerts }) => alerts.includes(alert)));
      return {
        passed: untested.length === 0 && failed.length === 0 && names.every((alert) => seconds[alert] !== undefined),
        alerts: all.length,
        fired_and_over: Object.keys(seconds).length,
        times_shorter: durationDivisor,
        counts_smaller: countDivisor,
        ...(untested.length > 0 && { untold: untested }),
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

/** Causes the problem, waits until the alerts fire, fixes it and waits until they resolve. */
async function runTrial(scene: AlertsScene, trial: Trial, seconds: Record<string, Times>): Promise<void> {
  await until(`${trial.alerts.join(' and ')} do not fire yet`, fireTimeoutMs, async () =>
    (await scene.firing()).every((alert) => firingInitially.includes(alert) || !trial.alerts.includes(alert)),
  );
  const injectedAt = performance.now();
  const fix = await trial.inject(scene);
  const firedAfter: Record<string, number> = {};
  try {
    await until(`${trial.alerts.join(' and ')} fire`, trial.timeoutMs ?? fireTimeoutMs, async () => {
      const now = await scene.firing();
      for (const alert of trial.alerts) if (now.includes(alert)) firedAfter[alert] ??= secondsSince(injectedAt);
      return trial.alerts.every((alert) => firedAfter[alert] !== undefined);
    });
  } finally {
    await fix();
  }
  const fixedAt = performance.now();
  for (const alert of trial.alerts) {
    await until(
      `${alert} has resolved`,
      trial.timeoutMs ?? fireTimeoutMs,
      async () => !(await scene.firing()).includes(alert),
    );
    seconds[alert] = { fired_after: firedAfter[alert] ?? 0, over_after: secondsSince(fixedAt) };
  }
}

const secondsSince = (startedAt: number) => Math.round((performance.now() - startedAt) / 100) / 10;
