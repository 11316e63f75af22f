import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildApiKey, type Drill, freePort } from '@tributary/testkit';
import { parse, stringify } from 'yaml';
import { command } from '../upgrade/old-version.ts';
import { AppProcess } from './app-process.ts';
import { until } from './faults-scene.ts';
import { OutcomeSender, VisitSender } from './faults-senders.ts';
import { openVisitsScene, type VisitsScene } from './visits-scene.ts';

const root = join(import.meta.dirname, '../..');
const program = join(root, '.engines/programs/prometheus/usr/bin/prometheus');
const firesWithinMs = 45_000;
/** Hours of the rules are seconds here: all times are a 300th, all counts a 1,000th. */
const timesShorter = 300;
const countsSmaller = 1_000;
/** What waits a few seconds on a busy machine is not late. */
const leastOldSeconds = 10;

/** There is no backup yet. */
const fromTheStart: readonly string[] = ['TributaryBackupOld'];

/** What is not tried, and why. */
const left: Readonly<Record<string, string>> = {
  TributaryEventsWaiting: 'Not written yet.',
  TributaryBadVisits: 'Not written yet.',
  TributaryTrackerSilent: 'Not written yet.',
  TributaryVisitsLogFull: 'Not written yet.',
  TributaryVisitsWaiting: 'Not written yet.',
  TributaryReportsLate: 'Not written yet.',
  TributaryErasuresLate: 'Not written yet.',
  TributarySlow: 'Not written yet.',
  TributaryDeadLetters:
    'Messages die of faults that we do not know; one that is made up would not come back by its runbook.',
  TributaryDeadLettersFull: 'The same.',
  TributaryWebhooksLate: 'A worker that runs sends what is due; nothing but many subscribers makes it late.',
  TributarySyncsLate: 'The same of connections.',
  TributaryWorkSetAside: 'Work is set aside for faults that we do not know.',
  TributaryJobsFailed: 'A job fails for good after hours of tries.',
  TributaryUnexplainedChange: 'It would be a fault of ours.',
  TributaryBooksDiffer: 'The same; drill `reconcile` makes books that differ.',
};

/**
 * A Prometheus of its own reads what all processes of a deployment say of themselves, with the rules that we publish. What an alert watches is broken until it
 * fires, and mended as its runbook says until it is over.
 */
export const drill: Drill = {
  name: 'alerts',
  promise:
    'An alert fires when what it watches breaks, and its runbook ends it, in a real Prometheus over a running deployment.',

  async run({ size, progress }) {
    if (!existsSync(program)) throw new Error('There is no Prometheus here; .ci/run fetches it.');
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
        await tryOne(scene, trial, seconds).catch((error: Error) => failed.push(error.message));
      }
      const all = scene.rules.map(({ alert }) => alert);
      const untold = all.filter((alert) => !trials.some(({ alerts }) => alerts.includes(alert)) && !left[alert]);
      return {
        passed: untold.length === 0 && failed.length === 0 && names.every((alert) => seconds[alert] !== undefined),
        alerts: all.length,
        fired_and_over: Object.keys(seconds).length,
        times_shorter: timesShorter,
        counts_smaller: countsSmaller,
        ...(untold.length > 0 && { untold }),
        ...(failed.length > 0 && { failed }),
        not_tried: Object.keys(left),
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
    await until(`${trial.alerts.join(' and ')} fire`, firesWithinMs, async () => {
      const now = await scene.firing();
      for (const alert of trial.alerts) if (now.includes(alert)) firedAfter[alert] ??= secondsSince(brokenAt);
      return trial.alerts.every((alert) => firedAfter[alert] !== undefined);
    });
  } finally {
    await mend();
  }
  const mendedAt = performance.now();
  for (const alert of trial.alerts) {
    await until(`${alert} is over`, firesWithinMs, async () => !(await scene.firing()).includes(alert));
    seconds[alert] = { fired_after: firedAfter[alert] ?? 0, over_after: secondsSince(mendedAt) };
  }
}

interface Watched extends VisitsScene {
  readonly rules: readonly { readonly alert: string }[];
  readonly api: AppProcess;
  readonly apiUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly operatorEnvironment: Readonly<Record<string, string>>;
  /** The names of alerts that fire. */
  firing(): Promise<string[]>;
}

interface Trial {
  readonly alerts: readonly string[];
  readonly isSmall: boolean;
  /** Resolves to what its runbook says to do. */
  readonly breakIt: (scene: Watched) => Promise<() => Promise<unknown>>;
}

const trials: readonly Trial[] = [
  {
    alerts: ['TributaryBackupOld'],
    isSmall: false,
    breakIt:
      async ({ operatorEnvironment }) =>
      () =>
        command(root, operatorEnvironment, 'backup'),
  },
  {
    alerts: ['TributaryProcessDown'],
    isSmall: true,
    async breakIt({ collector }) {
      await collector.kill();
      return () => collector.start();
    },
  },
  {
    alerts: ['TributaryLocalLimits'],
    isSmall: true,
    async breakIt({ engines: { supervisor } }) {
      await supervisor.kill('redis');
      return () => supervisor.start(['redis']);
    },
  },
  {
    alerts: ['TributaryErrors', 'TributaryEngineUnknown'],
    isSmall: true,
    async breakIt({ engines: { supervisor } }) {
      await supervisor.kill('postgres');
      return () => supervisor.start(['postgres']);
    },
  },
];

const secondsSince = (startedAt: number) => Math.round((performance.now() - startedAt) / 100) / 10;

/** The deployment with somebody who uses it all the time, and a Prometheus beside it. */
async function openWatched(directory: string): Promise<Watched> {
  const [api, collector, worker, web, apiPort] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const visits = await openVisitsScene('drill-alerts', {
    METRICS_PORT: String(api),
    COLLECTOR_METRICS_PORT: String(collector),
    WORKER_METRICS_PORT: String(worker),
    BACKUP_FOLDER: join(directory, 'backups'),
    BACKUP_KEYS: `b1:${Buffer.alloc(32, 3).toString('base64')}`,
    PORT: String(apiPort),
    BASE_URL: `http://127.0.0.1:${apiPort}`,
  });
  const apiProcess = new AppProcess('api', 'api listens', visits.environment);
  const rules = writeRules(directory, { api, collector, worker });
  const prometheus = spawn(
    program,
    [
      `--config.file=${join(directory, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(directory, 'data')}`,
      `--web.listen-address=127.0.0.1:${web}`,
      '--log.level=error',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const asking = new AbortController();
  let sender: VisitSender | undefined;
  let outcomes: OutcomeSender | undefined;
  const close = async () => {
    asking.abort();
    prometheus.kill('SIGKILL');
    await Promise.allSettled([sender?.stop(1), outcomes?.stop(1)]);
    visits.engines.supervisor.resume('clickhouse');
    await apiProcess.kill();
    await visits.close();
  };
  try {
    await apiProcess.start();
    const scopes = ['attribution:write', 'campaigns:read', 'conversions:read'] as const;
    const { headers } = await buildApiKey(visits.postgres, visits.profileId, { scopes });
    const apiUrl = `http://127.0.0.1:${apiPort}`;
    const receiver = { post: visits.post, apiUrl, headers };
    outcomes = new OutcomeSender(receiver, { perSecond: 10, perRequest: 2 });
    outcomes.start();
    sender = new VisitSender(receiver, { perSecond: 20, perRequest: 2 }).withKey(visits.key);
    sender.start();
    void readReports(apiUrl, headers, asking.signal);
    const known = await visits.engines.supervisor.knownAddresses();
    const database = new URL(visits.engines.database.ownerUrl).pathname;
    const operator = Object.entries(known).map(([name, address]) => [
      name,
      name.startsWith('DATABASE_') ? Object.assign(new URL(address), { pathname: database }).href : address,
    ]);
    return {
      ...visits,
      rules,
      api: apiProcess,
      apiUrl,
      headers,
      operatorEnvironment: { ...visits.environment, ...Object.fromEntries(operator) },
      async firing() {
        const answer = await fetch(`http://127.0.0.1:${web}/api/v1/alerts`);
        const { data } = (await answer.json()) as {
          data: { alerts: { state: string; labels: { alertname: string } }[] };
        };
        return [
          ...new Set(data.alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname)),
        ];
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function readReports(
  apiUrl: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  const day = new Date().toISOString().slice(0, 10);
  while (!signal.aborted) {
    await fetch(`${apiUrl}/api/v1/overview?date_from=${day}&date_to=${day}`, { headers, signal }).then(
      (answer) => answer.arrayBuffer(),
      () => undefined,
    );
    await sleep(200);
  }
}

interface Rule {
  readonly alert: string;
  expr: string;
  for: string;
}

/** The rules as we publish them, shorter. */
function writeRules(directory: string, ports: Readonly<Record<string, number>>): Rule[] {
  const file = parse(readFileSync(join(root, 'deploy/prometheus/alerts.yaml'), 'utf8')) as {
    groups: { rules: Rule[] }[];
  };
  const rules = file.groups.flatMap((group) => group.rules);
  for (const rule of rules) {
    rule.for = shorter(rule.for, 1);
    rule.expr = rule.expr
      .replace(/\[(\w+)\]/g, (_, time: string) => `[${shorter(time, 5)}]`)
      .replace(/offset (\w+)/g, (_, time: string) => `offset ${shorter(time, 12, 12)}`)
      .replace(
        /(_oldest_seconds\{[^}]*\} > )(\d+)/g,
        (_, before: string, most: string) => `${before}${Math.max(leastOldSeconds, Number(most) / timesShorter)}`,
      )
      .replace(/(_waiting > )(\d+)/g, (_, before: string, most: string) => `${before}${Number(most) / countsSmaller}`);
  }
  writeFileSync(join(directory, 'alerts.yaml'), stringify(file));
  const jobs = Object.entries(ports).map(([app, port]) => ({
    job_name: `tributary-${app}`,
    static_configs: [{ targets: [`127.0.0.1:${port}`] }],
  }));
  const global = { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '500ms' };
  writeFileSync(
    join(directory, 'prometheus.yaml'),
    stringify({ global, rule_files: ['alerts.yaml'], scrape_configs: jobs }),
  );
  return rules;
}

function shorter(time: string, leastSeconds: number, mostSeconds = Number.POSITIVE_INFINITY): string {
  const [, count = '0', unit = 's'] = /^(\d+)([smhd])$/.exec(time) ?? [];
  const seconds = Number(count) * { s: 1, m: 60, h: 3_600, d: 86_400 }[unit as 's' | 'm' | 'h' | 'd'];
  return `${Math.min(mostSeconds, Math.max(leastSeconds, Math.ceil(seconds / timesShorter)))}s`;
}
