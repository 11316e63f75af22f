import { connectionTo, type Postgres, type Tx } from '@tributary/postgres';
import { sql } from 'kysely';
import { fromKysely, PgBoss } from 'pg-boss';
import { catalogue, type JobName, type JobPayload, schedule } from './catalogue.ts';
import type { WorkFailure } from './handler.ts';

export type JobHandlers = { readonly [N in JobName]: (payload: JobPayload<N>, signal: AbortSignal) => Promise<void> };

const schema = 'pgboss';

/** How long pg-boss keeps a job that no worker could run, and a job that has ended. */
const retention = { retentionSeconds: 14 * 86_400, deleteAfterSeconds: 7 * 86_400 };

/** Creates or updates pg-boss's tables and queues, as the owner. Part of every migration. */
export async function migrateJobs(ownerUrl: string): Promise<void> {
  const boss = new PgBoss({ ...connectionTo(ownerUrl), schema, supervise: false, schedule: false, max: 2 });
  await boss.start();
  try {
    for (const kind of Object.values(catalogue)) {
      const options = {
        retryLimit: kind.retries,
        retryDelay: 2,
        retryBackoff: true,
        retryDelayMax: 900,
        expireInSeconds: kind.timeoutSeconds,
        // Without heartbeats the job of a killed worker would wait for its whole timeout.
        heartbeatSeconds: 10,
        notify: true,
        ...retention,
      };
      const policy = 'oneAtATime' in kind && kind.oneAtATime ? 'singleton' : 'standard';
      if (await boss.getQueue(kind.name)) await boss.updateQueue(kind.name, options);
      else await boss.createQueue(kind.name, { ...options, policy });
    }
    // Schedules and queues of earlier versions would otherwise wait for a worker forever.
    const [knownNames, scheduledNames] = [Object.values(catalogue), schedule.map(({ job }) => catalogue[job])].map(
      (kinds) => new Set<string>(kinds.map(({ name }) => name)),
    );
    for (const { name } of await boss.getSchedules()) if (!scheduledNames?.has(name)) await boss.unschedule(name);
    const isOwnQueue = (name: string) => !name.startsWith('__pgboss');
    for (const { name } of await boss.getQueues())
      if (isOwnQueue(name) && !knownNames?.has(name)) await boss.deleteQueue(name);
    for (const { job, cron, payload } of schedule)
      await boss.schedule(catalogue[job].name, cron, payload, { tz: 'UTC' });
    const db = boss.getDb();
    await db.executeSql(`
      GRANT USAGE ON SCHEMA ${schema} TO tributary_app, tributary_system;
      GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA ${schema} TO tributary_app;
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO tributary_system;
      GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${schema} TO tributary_app, tributary_system;
    `);
  } finally {
    await boss.stop({ graceful: false });
  }
}

export interface Jobs {
  /** Writes the job in the caller's transaction: both commit, or neither does. */
  enqueue<N extends JobName>(tx: Tx, job: N, payload: JobPayload<N>, options?: EnqueueOptions): Promise<void>;
}

export interface EnqueueOptions {
  readonly startAfter?: Date;
  /** With `oneAtATime`, jobs with the same key run one after the other; other jobs run in parallel. */
  readonly key?: string;
}

/** For processes that only enqueue. Jobs are written through the caller's connection. */
export async function createJobs(
  appUrl: string,
  onError: (error: Error) => void,
): Promise<Jobs & { close(): Promise<void> }> {
  const boss = new PgBoss({
    ...connectionTo(appUrl),
    schema,
    max: 1,
    migrate: false,
    createSchema: false,
    supervise: false,
    schedule: false,
  });
  boss.on('error', onError);
  await boss.start();
  return {
    async enqueue(tx, job, payload, options = {}) {
      const kind = catalogue[job];
      await boss.send(kind.name, kind.payload.parse(payload), {
        db: fromKysely(tx),
        ...(options.startAfter && { startAfter: options.startAfter }),
        ...(options.key && { singletonKey: options.key }),
      });
    },
    close: () => boss.stop({ graceful: false }),
  };
}

/** Counts jobs that used up their retries, while pg-boss keeps them and unless an equal job has succeeded since. */
export async function countFailedJobs(system: Postgres): Promise<number> {
  const jobs = sql.table(`${schema}.job`);
  const { rows } = await system.unbound.query(sql<{ n: number }>`
    SELECT count(*)::int AS n FROM ${jobs} f WHERE f.state = 'failed' AND NOT EXISTS (
      SELECT FROM ${jobs} s WHERE s.name = f.name AND s.state = 'completed' AND s.completed_on > f.completed_on AND s.data IS NOT DISTINCT FROM f.data)`);
  return rows[0]?.n ?? 0;
}

export interface WorkerOptions {
  readonly systemUrl: string;
  readonly handlers: JobHandlers;
  /** Receives errors of pg-boss itself. */
  readonly onError: (error: Error) => void;
  /** Receives errors of jobs, which pg-boss does not pass on. */
  readonly onFailure: (failure: WorkFailure) => void;
}

/** Runs all kinds of jobs until it is stopped. Running jobs are finished first. */
export async function startJobWorker({
  systemUrl,
  handlers,
  onError,
  onFailure,
}: WorkerOptions): Promise<{ stop(): Promise<void> }> {
  const boss = new PgBoss({
    ...connectionTo(systemUrl),
    schema,
    max: 4,
    migrate: false,
    createSchema: false,
    useListenNotify: true,
    // With these intervals a killed worker's job is restarted after about 13 seconds instead of 58.
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
    // Only the owner of the tables can rebuild indexes.
    reindex: false,
  });
  boss.on('error', onError);
  await boss.start();
  for (const [name, kind] of Object.entries(catalogue) as [JobName, (typeof catalogue)[JobName]][]) {
    // Retries are not announced, so the polling interval limits their delay.
    await boss.work(kind.name, { notifyPollingIntervalSeconds: 2 }, async ([job]) => {
      if (!job) return;
      const handler = handlers[name] as (payload: unknown, signal: AbortSignal) => Promise<void>;
      const data = job.data as { profileId?: string; workspaceId?: string };
      try {
        await handler(kind.payload.parse(data), job.signal);
      } catch (error) {
        onFailure({ work: kind.name, key: data.profileId ?? data.workspaceId, error });
        throw error;
      }
    });
  }
  return { stop: () => boss.stop({ graceful: true, timeout: 20_000 }) };
}
