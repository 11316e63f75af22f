import { connectionTo, type Postgres, type Tx } from '@tributary/postgres';
import { sql } from 'kysely';
import { fromKysely, PgBoss } from 'pg-boss';
import { catalogue, type JobName, type JobPayload, schedule } from './catalogue.ts';
import type { WorkFailure } from './handler.ts';

export type JobHandlers = { readonly [N in JobName]: (payload: JobPayload<N>, signal: AbortSignal) => Promise<void> };

const schema = 'pgboss';

/** How long the queue keeps a job that nobody could run, and one that has ended. */
const lives = { retentionSeconds: 14 * 86_400, deleteAfterSeconds: 7 * 86_400 };

/** Makes or updates the queue's own tables and queues, as the owner. Part of every migration. */
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
        ...lives,
      };
      const policy = 'oneAtATime' in kind && kind.oneAtATime ? 'singleton' : 'standard';
      if (await boss.getQueue(kind.name)) await boss.updateQueue(kind.name, options);
      else await boss.createQueue(kind.name, { ...options, policy });
    }
    // What an earlier version scheduled or queued and this one does not know would wait for a worker for ever.
    const [known, wanted] = [Object.values(catalogue), schedule.map(({ job }) => catalogue[job])].map(
      (kinds) => new Set<string>(kinds.map(({ name }) => name)),
    );
    for (const { name } of await boss.getSchedules()) if (!wanted?.has(name)) await boss.unschedule(name);
    const isOurs = (name: string) => !name.startsWith('__pgboss');
    for (const { name } of await boss.getQueues()) if (isOurs(name) && !known?.has(name)) await boss.deleteQueue(name);
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
  /** Commits with the transaction, or not at all. */
  enqueue<N extends JobName>(tx: Tx, job: N, payload: JobPayload<N>, options?: EnqueueOptions): Promise<void>;
}

export interface EnqueueOptions {
  readonly startAfter?: Date;
  /** With `oneAtATime`: jobs of the same key follow one another, others run beside them. */
  readonly key?: string;
}

/** For processes that only hand out work. It needs no connection of its own: each job is written through the caller's. */
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

/** Jobs that are past their last try, as long as pg-boss keeps them and the same has not succeeded since. */
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
  /** Of pg-boss itself. */
  readonly onError: (error: Error) => void;
  /** Of a job. pg-boss keeps what a handler throws to itself. */
  readonly onFailure: (failure: WorkFailure) => void;
}

/** Works all jobs until it is stopped; a job that is under way then is finished first. */
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
    // A killed worker's job is taken up again after about 13 seconds with these, 58 with the defaults.
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
    // Index rebuilds are for the owner of the tables.
    reindex: false,
  });
  boss.on('error', onError);
  await boss.start();
  for (const [name, kind] of Object.entries(catalogue) as [JobName, (typeof catalogue)[JobName]][]) {
    // A retry is not announced, so the slow poll beside the notifications decides how late it runs.
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
