import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Sandbox, startSandbox } from '@tributary/sandbox';
import { buildApiKey, freePort } from '@tributary/testkit';
import { dayMs } from '@tributary/vocabulary';
import pg from 'pg';
import { v7 as uuid } from 'uuid';
import { parse, stringify } from 'yaml';
import { AppProcess } from './app-process.ts';
import { OutcomeSender, VisitSender } from './faults-senders.ts';
import { openVisitsScene, type VisitsScene } from './visits-scene.ts';

export const root = join(import.meta.dirname, '../..');
export const fireTimeoutMs = 45_000;
export const prometheus = join(root, '.engines/programs/prometheus/usr/bin/prometheus');
/** The drill divides all durations in the alert rules by 300 and all counts by 1,000, so that hours become seconds. */
export const durationDivisor = 300;
export const countDivisor = 1_000;
/** Lower bound for the `_oldest_seconds` thresholds: on a busy machine, work may wait a few seconds without being late. */
const minOldestSeconds = 10;

export interface AlertsScene extends VisitsScene {
  readonly rules: readonly { readonly alert: string }[];
  readonly sandbox: Sandbox;
  readonly api: AppProcess;
  readonly apiUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly visitSender: () => VisitSender;
  readonly operatorEnvironment: Readonly<Record<string, string>>;
  /** Returns the names of the firing alerts. */
  firing(): Promise<string[]>;
}

/** Opens a deployment under constant load, with a Prometheus that scrapes it. */
export async function openAlertsScene(directory: string): Promise<AlertsScene> {
  const [api, collector, worker, web, apiPort] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const sandbox = await startSandbox({ market: { people: 200, campaigns: 2, days: 7, start: daysAgo(7) } });
  const visits = await openVisitsScene('drill-alerts', {
    ...sandbox.settings,
    METRICS_PORT: String(api),
    COLLECTOR_METRICS_PORT: String(collector),
    WORKER_METRICS_PORT: String(worker),
    BACKUP_FOLDER: join(directory, 'backups'),
    BACKUP_KEYS: `b1:${Buffer.alloc(32, 3).toString('base64')}`,
    PORT: String(apiPort),
    BASE_URL: `http://127.0.0.1:${apiPort}`,
  }).catch(async (error) => {
    await sandbox.close();
    throw error;
  });
  const apiProcess = new AppProcess('api', 'api listens', visits.environment);
  const rules = writeRules(directory, { api, collector, worker });
  const prometheusProcess = spawn(
    prometheus,
    [
      `--config.file=${join(directory, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(directory, 'data')}`,
      `--web.listen-address=127.0.0.1:${web}`,
      '--log.level=error',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const stopReports = new AbortController();
  let sender: VisitSender | undefined;
  let outcomes: OutcomeSender | undefined;
  const close = async () => {
    stopReports.abort();
    prometheusProcess.kill('SIGKILL');
    await Promise.allSettled([sender?.stop(1), outcomes?.stop(1)]);
    visits.engines.supervisor.resume('clickhouse');
    await apiProcess.kill();
    await visits.close();
    await sandbox.close();
  };
  try {
    await apiProcess.start();
    const scopes = ['attribution:write', 'campaigns:read', 'conversions:read', 'analytics:read'] as const;
    const { headers } = await buildApiKey(visits.postgres, visits.profileId, { scopes });
    const apiUrl = `http://127.0.0.1:${apiPort}`;
    const receiver = { post: visits.post, apiUrl, headers };
    outcomes = new OutcomeSender(receiver, { perSecond: 10, perRequest: 2 });
    outcomes.start();
    const visitSender = () => {
      const previous = sender;
      sender = new VisitSender(receiver, { perSecond: 20, perRequest: 2 }).withKey(visits.key);
      return previous ?? sender;
    };
    visitSender().start();
    void readReports(apiUrl, headers, stopReports.signal);
    const addresses = await visits.engines.supervisor.knownAddresses();
    const database = new URL(visits.engines.database.ownerUrl).pathname;
    const operator = Object.entries(addresses).map(([name, address]) => [
      name,
      name.startsWith('DATABASE_') ? Object.assign(new URL(address), { pathname: database }).href : address,
    ]);
    return {
      ...visits,
      rules,
      sandbox,
      api: apiProcess,
      apiUrl,
      headers,
      visitSender,
      operatorEnvironment: { ...visits.environment, ...Object.fromEntries(operator) },
      async firing() {
        const response = await fetch(`http://127.0.0.1:${web}/api/v1/alerts`);
        const { data } = (await response.json()) as {
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
      (response) => response.arrayBuffer(),
      () => undefined,
    );
    await sleep(200);
  }
}

const daysAgo = (days: number): string => new Date(Date.now() - days * dayMs).toISOString().slice(0, 10);

export const payment = (value: string, external_id: string, at: Date) => ({
  event_name: 'payment_received',
  idempotency_key: uuid(),
  occurred_at: at.toISOString(),
  properties: { value, currency: 'USD' },
  user_traits: { external_id },
});

export async function call(apiUrl: string, headers: Readonly<Record<string, string>>, path: string, body: unknown) {
  const response = await fetch(`${apiUrl}/api/v1/${path}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} returned ${response.status}: ${await response.text()}`);
}

export async function asOwner(ownerUrl: string, statement: string): Promise<pg.QueryResult<{ id: string }>> {
  const owner = await connectTo(ownerUrl);
  return owner.query(statement).finally(() => owner.end());
}

export async function connectTo(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => {});
  await client.connect();
  return client;
}

interface Rule {
  readonly alert: string;
  expr: string;
  for: string;
}

/** Writes the published rules with shorter durations and lower counts. */
function writeRules(directory: string, ports: Readonly<Record<string, number>>): Rule[] {
  const file = parse(readFileSync(join(root, 'deploy/prometheus/alerts.yaml'), 'utf8')) as {
    groups: { rules: Rule[] }[];
  };
  const rules = file.groups.flatMap((group) => group.rules);
  for (const rule of rules) {
    rule.for = shortenDuration(rule.for, 1);
    rule.expr = rule.expr
      .replace(/\[(\w+)\]/g, (_, time: string) => `[${shortenDuration(time, 5)}]`)
      .replace(/offset (\w+)/g, (_, time: string) => `offset ${shortenDuration(time, 12, 12)}`)
      .replace(
        /(_oldest_seconds\{[^}]*\} > )(\d+)/g,
        (_, before: string, limit: string) => `${before}${Math.max(minOldestSeconds, Number(limit) / durationDivisor)}`,
      )
      .replace(/(_waiting > )(\d+)/g, (_, before: string, limit: string) => `${before}${Number(limit) / countDivisor}`);
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

function shortenDuration(time: string, minSeconds: number, maxSeconds = Number.POSITIVE_INFINITY): string {
  const [, count = '0', unit = 's'] = /^(\d+)([smhd])$/.exec(time) ?? [];
  const seconds = Number(count) * { s: 1, m: 60, h: 3_600, d: 86_400 }[unit as 's' | 'm' | 'h' | 'd'];
  return `${Math.min(maxSeconds, Math.max(minSeconds, Math.ceil(seconds / durationDivisor)))}s`;
}
