import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Drill } from '@tributary/testkit';
import { awaitStandby, type FailoverScene, openFailoverScene, tellPostgres } from './failover-scene.ts';
import { until } from './faults-scene.ts';
import { OutcomeSender, VisitSender } from './faults-senders.ts';
import { verdict } from './faults-verdict.ts';

const sizes = {
  small: { quietMs: 500, outcomes: { perSecond: 20, perRequest: 2 }, visits: { perSecond: 20, perRequest: 5 } },
  full: { quietMs: 60_000, outcomes: { perSecond: 150, perRequest: 10 }, visits: { perSecond: 150, perRequest: 10 } },
} as const;
const recoveryMs = { small: 60_000, full: 300_000 } as const;
/** The whole run, after which it ends itself: a drill that hangs costs all that comes after it. */
const longestMs = { small: 300_000, full: 1_500_000 } as const;
/** How often whoever promotes looks whether the primary is there, and how often it must be missing. */
const lookMs = 200;
const mostMissed = 3;

/**
 * Outcomes and visits come in all the time, and are sent again until they are acknowledged, while one machine after the other is lost with all
 * that was on its disk: the primary of PostgreSQL, the leader of the visits log, Redis, ClickHouse.
 */
export const drill: Drill = {
  name: 'failover',
  promise:
    'Whatever engine is lost with its disk: what was acknowledged is there, exactly once, and service comes back.',

  async run({ size, progress }) {
    const scene = await openFailoverScene('drill-failover');
    const watchdog = setTimeout(() => {
      console.error(`The drill took longer than ${longestMs[size] / 1_000} s and is given up.`);
      void Promise.race([scene.close(), sleep(20_000)]).finally(() => process.exit(1));
    }, longestMs[size]);
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
  /** Loses the machine and does what its runbook says. Resolves to what was measured besides. */
  readonly lose: (scene: FailoverScene, size: 'small' | 'full') => Promise<Readonly<Record<string, number>>>;
}

const losses: readonly Loss[] = [
  {
    engine: 'postgres',
    async lose({ machines: [first, second] }, size) {
      await first.lose('postgres');
      await primaryMissed(first);
      await tellPostgres(second, 'SELECT pg_promote()');
      const promotedAt = performance.now();
      if (size === 'small') return {};
      // A new one in the place of the lost, so that the next loss is borne as well.
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
      await until('the others have chosen a leader', 60_000, async () => {
        const { leader: next, current } = await stream.copies();
        return next !== undefined && next !== leader && current === 2;
      });
      const chosen = secondsSince(lostAt);
      await lost.start(['nats']);
      const startedAt = performance.now();
      await until('the empty server has all visits again', 120_000, async () => (await stream.copies()).current === 3);
      return { leader_chosen: chosen, redundant_again: secondsSince(startedAt) };
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
  const without: Record<string, Record<string, number>> = {};
  for (const [index, { engine, lose }] of losses.entries()) {
    progress(index, losses.length, engine);
    await sleep(sizes[size].quietMs);
    for (const one of [outcomes, visits, reports]) one.takeSilenceMs();
    const measured = await lose(scene, size);
    for (const sender of [outcomes, visits]) await sender.caughtUp(within);
    await scene.drained(within);
    await until('reports are answered', within, () => reports.isAnswered);
    const silences = {
      outcomes: outcomes.takeSilenceMs(),
      visits: visits.takeSilenceMs(),
      reports: reports.takeSilenceMs(),
    };
    const seconds = Object.entries(silences).map(([what, ms]) => [what, Math.round(ms / 100) / 10]);
    without[engine] = { ...Object.fromEntries(seconds), ...measured };
  }
  for (const sender of [outcomes, visits]) await sender.stop(within);
  await reports.stop();
  await scene.drained(within);
  const counted = await verdict(scene, outcomes, visits, within);
  const wasFelt = ['outcomes', 'visits'].every((what) => Object.values(without).some((one) => (one[what] ?? 0) > 0));
  return {
    ...counted,
    passed: counted.passed && wasFelt && Object.keys(reports.strange).length === 0,
    writes_a_second: sizes[size].outcomes.perSecond + sizes[size].visits.perSecond,
    refused_requests: outcomes.refused + visits.refused,
    strange_reports: reports.strange,
    seconds_without_service: without,
  };
}

const secondsSince = (startedAt: number) => Math.round((performance.now() - startedAt) / 100) / 10;

/** As whoever promotes a standby by itself looks. */
async function primaryMissed(machine: FailoverScene['machines'][number]): Promise<void> {
  for (let missed = 0; missed < mostMissed; await sleep(lookMs))
    missed = await tellPostgres(machine, 'SELECT 1').then(
      () => 0,
      () => missed + 1,
    );
}

/** Somebody who asks for a report all the time. */
function watchReports({ apiUrl, headers }: FailoverScene) {
  const strange: Record<string, number> = {};
  const day = new Date().toISOString().slice(0, 10);
  const stop = new AbortController();
  let [silenceMs, answeredAt, isAnswered] = [0, performance.now(), true];
  const hear = () => {
    silenceMs = Math.max(silenceMs, performance.now() - answeredAt);
    answeredAt = performance.now();
  };
  const asking = (async () => {
    while (!stop.signal.aborted) {
      const status = await fetch(`${apiUrl}/api/v1/campaigns?date_from=${day}&date_to=${day}`, {
        headers,
        signal: AbortSignal.timeout(30_000),
      }).then(
        async (answer) => {
          await answer.arrayBuffer();
          return answer.status;
        },
        () => undefined,
      );
      isAnswered = status === 200;
      if (isAnswered) hear();
      else if (status !== undefined && status !== 503) strange[status] = (strange[status] ?? 0) + 1;
      await sleep(250);
    }
  })();
  return {
    strange,
    get isAnswered() {
      return isAnswered;
    },
    takeSilenceMs() {
      hear();
      const taken = silenceMs;
      silenceMs = 0;
      return taken;
    },
    async stop() {
      stop.abort();
      await asking;
    },
  };
}
