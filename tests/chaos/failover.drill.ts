import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Drill } from '@tributary/testkit';
import { awaitStandby, type FailoverScene, openFailoverScene, runAsSuperuser } from './failover-scene.ts';
import { until } from './faults-scene.ts';
import { OutcomeSender, VisitSender } from './faults-senders.ts';
import { verdict } from './faults-verdict.ts';

const sizes = {
  small: { quietMs: 500, outcomes: { perSecond: 20, perRequest: 2 }, visits: { perSecond: 20, perRequest: 5 } },
  full: { quietMs: 60_000, outcomes: { perSecond: 150, perRequest: 10 }, visits: { perSecond: 150, perRequest: 10 } },
} as const;
const recoveryMs = { small: 60_000, full: 300_000 } as const;
/** Limit for the whole run. The process exits after it, so that a hanging drill does not block the drills that follow. */
const runLimitMs = { small: 300_000, full: 1_500_000 } as const;
/** Health checks of the primary by the simulated failover manager: interval, and number of consecutive failures before it promotes the standby. */
const checkIntervalMs = 200;
const maxFailedChecks = 3;

/**
 * Sends outcomes and visits continuously, with retries until they are acknowledged. Meanwhile, engines are lost one after the other with their disks:
 * the PostgreSQL primary, the leader of the visit stream, Redis and ClickHouse.
 */
export const drill: Drill = {
  name: 'failover',
  promise:
    'After the loss of any engine with its disk, service recovers and all acknowledged data exists exactly once.',

  async run({ size, progress }) {
    const scene = await openFailoverScene('drill-failover');
    const watchdog = setTimeout(() => {
      console.error(`The drill took longer than ${runLimitMs[size] / 1_000} s and is aborted.`);
      void Promise.race([scene.close(), sleep(20_000)]).finally(() => process.exit(1));
    }, runLimitMs[size]);
    try {
      return await loseAll(scene, size, progress);
    } finally {
      await scene.close();
      clearTimeout(watchdog);
    }
  },
};

interface Loss {
  readonly engine: string;
  /** Destroys the engine with its disk and follows the runbook. Resolves to additional measurements. */
  readonly lose: (scene: FailoverScene, size: 'small' | 'full') => Promise<Readonly<Record<string, number>>>;
}

const losses: readonly Loss[] = [
  {
    engine: 'postgres',
    async lose({ machines: [first, second] }, size) {
      await first.lose('postgres');
      await primaryFailed(first);
      await runAsSuperuser(second, 'SELECT pg_promote()');
      const promotedAt = performance.now();
      if (size === 'small') return {};
      // Adds a new standby in place of the lost server, so that another loss could be survived.
      await first.followPostgres(second);
      await awaitStandby(second);
      return { redundant_again: secondsSince(promotedAt) };
    },
  },
  {
    engine: 'nats',
    async lose({ machines, stream }) {
      const { leader } = await stream.copies();
      const lost = machines[Number(leader?.slice(1)) - 1] ?? machines[0];
      await lost.lose('nats');
      const lostAt = performance.now();
      await until('the remaining servers have elected a leader', 60_000, async () => {
        const { leader: next, current } = await stream.copies();
        return next !== undefined && next !== leader && current === 2;
      });
      const elected = secondsSince(lostAt);
      await lost.start(['nats']);
      const startedAt = performance.now();
      await until('the empty server has all visits again', 120_000, async () => (await stream.copies()).current === 3);
      return { leader_chosen: elected, redundant_again: secondsSince(startedAt) };
    },
  },
  {
    engine: 'redis',
    async lose({ machines: [first] }) {
      await first.lose('redis');
      await first.start(['redis']);
      return {};
    },
  },
  {
    engine: 'clickhouse',
    async lose({ machines: [first], operatorEnvironment }) {
      await first.lose('clickhouse');
      const lostAt = performance.now();
      await first.start(['clickhouse']);
      const command = [join(import.meta.dirname, '../../apps/cli/main.ts'), 'rebuild', '--json'];
      const env = { ...process.env, ...operatorEnvironment };
      const running = promisify(execFile)(process.execPath, command, { env, maxBuffer: 1 << 24 });
      running.child.stderr?.pipe(process.stderr);
      const { stdout } = await running;
      const { messages, conversions } = JSON.parse(stdout) as { messages: number; conversions: number };
      return { rebuilt: secondsSince(lostAt), messages_read_again: messages, conversions_worked_out: conversions };
    },
  },
];

async function loseAll(
  scene: FailoverScene,
  size: 'small' | 'full',
  progress: (done: number, total: number, note?: string) => void,
) {
  const within = recoveryMs[size];
  const outcomes = new OutcomeSender(scene, sizes[size].outcomes);
  const visits = new VisitSender(scene, sizes[size].visits).withKey(scene.key);
  for (const sender of [outcomes, visits]) sender.start();
  await until('visits are stored', 60_000, async () => outcomes.acknowledged > 0 && (await scene.counts()).visits > 0);
  const reports = watchReports(scene);
  const outages: Record<string, Record<string, number>> = {};
  for (const [index, { engine, lose }] of losses.entries()) {
    progress(index, losses.length, engine);
    await sleep(sizes[size].quietMs);
    for (const source of [outcomes, visits, reports]) source.takeLongestGapMs();
    const measured = await lose(scene, size);
    for (const sender of [outcomes, visits]) await sender.caughtUp(within);
    await scene.drained(within);
    await until('reports are available', within, () => reports.isAvailable);
    const gaps = {
      outcomes: outcomes.takeLongestGapMs(),
      visits: visits.takeLongestGapMs(),
      reports: reports.takeLongestGapMs(),
    };
    const seconds = Object.entries(gaps).map(([what, ms]) => [what, Math.round(ms / 100) / 10]);
    outages[engine] = { ...Object.fromEntries(seconds), ...measured };
  }
  for (const sender of [outcomes, visits]) await sender.stop(within);
  await reports.stop();
  await scene.drained(within);
  const counted = await verdict(scene, outcomes, visits, within);
  const hadOutage = ['outcomes', 'visits'].every((what) => Object.values(outages).some((one) => (one[what] ?? 0) > 0));
  return {
    ...counted,
    passed: counted.passed && hadOutage && Object.keys(reports.unexpected).length === 0,
    writes_a_second: sizes[size].outcomes.perSecond + sizes[size].visits.perSecond,
    refused_requests: outcomes.refused + visits.refused,
    strange_reports: reports.unexpected,
    seconds_without_service: outages,
  };
}

const secondsSince = (startedAt: number) => Math.round((performance.now() - startedAt) / 100) / 10;

/** Waits until the primary has failed enough health checks, as a failover manager does. */
async function primaryFailed(machine: FailoverScene['machines'][number]): Promise<void> {
  for (let failed = 0; failed < maxFailedChecks; await sleep(checkIntervalMs))
    failed = await runAsSuperuser(machine, 'SELECT 1').then(
      () => 0,
      () => failed + 1,
    );
}

/** Requests a report continuously and measures the longest time without a response. */
function watchReports({ apiUrl, headers }: FailoverScene) {
  const unexpected: Record<string, number> = {};
  const day = new Date().toISOString().slice(0, 10);
  const stop = new AbortController();
  let [longestGapMs, respondedAt, isAvailable] = [0, performance.now(), true];
  const noteResponse = () => {
    longestGapMs = Math.max(longestGapMs, performance.now() - respondedAt);
    respondedAt = performance.now();
  };
  const polling = (async () => {
    while (!stop.signal.aborted) {
      const status = await fetch(`${apiUrl}/api/v1/campaigns?date_from=${day}&date_to=${day}`, {
        headers,
        signal: AbortSignal.timeout(30_000),
      }).then(
        async (response) => {
          await response.arrayBuffer();
          return response.status;
        },
        () => undefined,
      );
      isAvailable = status === 200;
      if (isAvailable) noteResponse();
      else if (status !== undefined && status !== 503) unexpected[status] = (unexpected[status] ?? 0) + 1;
      await sleep(250);
    }
  })();
  return {
    unexpected,
    get isAvailable() {
      return isAvailable;
    },
    takeLongestGapMs() {
      noteResponse();
      const gapMs = longestGapMs;
      longestGapMs = 0;
      return gapMs;
    },
    async stop() {
      stop.abort();
      await polling;
    },
  };
}
