import type { Postgres, Tx } from '@tributary/postgres';
import { sql } from 'kysely';

/** The table of leases for all queues. Times are PostgreSQL's because the workers' clocks differ. */

/** A key of a queue, and the worker that holds it. */
export interface Lease {
  readonly queue: string;
  readonly key: string;
  readonly holder: string;
}

/** Another worker holds the key now. Results that were already written have a lower version and do no harm. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

export interface Claimed {
  readonly key: string;
  /** Failed batches in a row. */
  readonly attempts: number;
  readonly hasSetAside: boolean;
}

/** Several keys of a queue, and the worker that holds them. */
export interface Leases {
  readonly queue: string;
  readonly holder: string;
  readonly keys: readonly string[];
}

export interface Claim {
  readonly claimed: readonly Claimed[];
  /** Transactions that added items without announcing them, because the key was waiting, are older than this transaction id. */
  readonly bound: string;
}

/** Claims the keys that are due, longest waiting first. */
export async function claimKeys(
  system: Postgres,
  { queue, holder }: Omit<Leases, 'keys'>,
  limit: number,
  leaseSeconds: number,
): Promise<Claim | undefined> {
  const { rows: claimed } = await system.unbound.query(sql<Claimed>`
    UPDATE work_turns t SET holder = ${holder}, until = now() + make_interval(secs => ${leaseSeconds}), is_waiting = false
    FROM (
      SELECT queue, key FROM work_turns WHERE queue = ${queue} AND due <= now() AND until <= now()
      ORDER BY due LIMIT ${limit} FOR UPDATE SKIP LOCKED) c
    WHERE t.queue = c.queue AND t.key = c.key
    RETURNING t.key, t.attempts, EXISTS (SELECT FROM work_set_aside s WHERE s.queue = t.queue AND s.key = t.key) AS "hasSetAside"`);
  return claimed.length === 0 ? undefined : { claimed, bound: await newestTransaction(system) };
}

/** Read after the keys stopped being marked as waiting: every transaction that saw the mark began earlier. */
async function newestTransaction(system: Postgres): Promise<string> {
  const { rows } = await system.unbound.query(
    sql<{ bound: string }>`SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS bound`,
  );
  return rows[0]?.bound ?? '0';
}

/** The keys that this worker still holds, locked in the same order by all workers to prevent deadlocks. */
const heldKeys = ({ queue, holder, keys }: Leases) => sql`
  SELECT key FROM work_turns WHERE queue = ${queue} AND key = ANY (${keys}::uuid[]) AND holder = ${holder}
  ORDER BY key FOR UPDATE`;

/**
 * Takes the lease of one key for work outside the queue, or extends it; false while another worker holds the key. It ignores the queue's
 * pace: a key with constant work is claimed again at the moment its pause ends.
 */
export async function takeLease(tx: Tx, { queue, key, holder }: Lease, leaseSeconds: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    INSERT INTO work_turns AS t (queue, key, holder, until)
    VALUES (${queue}, ${key}, ${holder}, now() + make_interval(secs => ${leaseSeconds}))
    ON CONFLICT (queue, key) DO UPDATE SET holder = excluded.holder, until = excluded.until
    WHERE t.holder IS NULL OR t.until <= now() OR t.holder = excluded.holder`.execute(tx);
  return numAffectedRows === 1n;
}

/** Returns the lease of `takeLease`. Items that were added meanwhile are processed. */
export async function returnLease(tx: Tx, { queue, key, holder }: Lease): Promise<void> {
  const { numAffectedRows } = await sql`
    UPDATE work_turns SET holder = NULL, until = '-infinity', due = now()
    WHERE queue = ${queue} AND key = ${key} AND holder = ${holder}`.execute(tx);
  if (numAffectedRows === 1n) await sql`SELECT pg_notify('tributary_work', ${`${queue} ${key}`})`.execute(tx);
}

/** Extends the leases. Resolves to the number of keys still held. */
export async function extendLeases(system: Postgres, leases: Leases, leaseSeconds: number): Promise<number> {
  const { numAffectedRows } = await system.unbound.query(sql`
    UPDATE work_turns t SET until = now() + make_interval(secs => ${leaseSeconds})
    FROM (${heldKeys(leases)}) o WHERE t.queue = ${leases.queue} AND t.key = o.key`);
  return Number(numAffectedRows ?? 0);
}

/** For the transaction that marks work as done: it keeps the key locked until it ends, or throws if the key is lost. */
export async function holdLease(tx: Tx, { queue, key, holder }: Lease): Promise<void> {
  if ((await holdLeases(tx, { queue, holder, keys: [key] })).size === 0) throw new LeaseLost();
}

/** The same for several keys. Resolves to those still held, which stay locked until the transaction ends. */
export async function holdLeases(tx: Tx, leases: Leases): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ key: string }>`${heldKeys(leases)}`.execute(tx);
  return new Set(rows.map(({ key }) => key));
}

export interface BatchEnd {
  readonly key: string;
  /** Whether the batch had any items. */
  readonly wasBusy: boolean;
  /** Whether more items wait than fit into the batch. */
  readonly isMore: boolean;
  /** The remaining items cannot be processed yet; claim the key again after this time. */
  readonly againSeconds?: number | undefined;
  /** The same, but new items make the key due at once. */
  readonly laterSeconds?: number | undefined;
}

/**
 * Releases keys after a batch. After an empty batch a key's row is deleted once all older transactions have ended: one of them may have
 * added items without announcing them, because the key was waiting. Until then the key is claimed again at growing intervals.
 */
export async function releaseAfterBatch(
  system: Postgres,
  { queue, holder }: Omit<Leases, 'keys'>,
  ends: readonly BatchEnd[],
  { bound, paceMs }: { readonly bound: string; readonly paceMs: number },
): Promise<void> {
  if (ends.length === 0) return;
  await system.unbound.transaction(async (tx) => {
    const held = await holdLeases(tx, { queue, holder, keys: ends.map(({ key }) => key) });
    const finished = ends.filter(
      (end) => !end.wasBusy && !end.isMore && end.againSeconds === undefined && end.laterSeconds === undefined,
    );
    await sql`
      DELETE FROM work_turns WHERE queue = ${queue} AND key = ANY (${finished.map(({ key }) => key)}::uuid[]) AND holder = ${holder}
        AND NOT is_waiting AND pg_snapshot_xmin(pg_current_snapshot()) >= ${bound}::xid8`.execute(tx);
    const others = ends.filter(({ key }) => held.has(key));
    await sql`
      UPDATE work_turns t SET holder = NULL, attempts = 0, last_fault = NULL,
        is_waiting = is_waiting OR e.is_more OR e.again_seconds IS NOT NULL,
        until = now() + CASE WHEN e.is_more THEN interval '0' ELSE make_interval(secs => ${paceMs / 1_000}) END,
        due = CASE
          WHEN e.is_more OR is_waiting THEN now()
          WHEN e.again_seconds IS NOT NULL THEN now() + make_interval(secs => e.again_seconds)
          WHEN e.was_busy THEN now() + interval '1 second'
          WHEN e.later_seconds IS NOT NULL AND pg_snapshot_xmin(pg_current_snapshot()) >= ${bound}::xid8
            THEN now() + make_interval(secs => e.later_seconds)
          ELSE now() + least(greatest(now() - waiting_since, interval '1 second'), interval '15 seconds') END,
        waiting_since = CASE WHEN e.was_busy AND NOT is_waiting THEN now() ELSE waiting_since END
      FROM unnest(${others.map(({ key }) => key)}::uuid[], ${others.map(({ wasBusy }) => wasBusy)}::bool[],
        ${others.map(({ isMore }) => isMore)}::bool[], ${others.map(({ againSeconds }) => againSeconds ?? null)}::float8[],
        ${others.map(({ laterSeconds }) => laterSeconds ?? null)}::float8[])
        AS e (key, was_busy, is_more, again_seconds, later_seconds)
      WHERE t.queue = ${queue} AND t.key = e.key AND t.holder = ${holder}`.execute(tx);
  });
}

export interface BatchFailure {
  readonly key: string;
  readonly fault: string;
  readonly pauseSeconds: number;
}

/** Releases keys after a failure. New items need no announcement because the key is claimed again after the pause. */
export async function releaseAfterFailure(
  system: Postgres,
  { queue, holder }: Omit<Leases, 'keys'>,
  failures: readonly BatchFailure[],
): Promise<void> {
  if (failures.length === 0) return;
  const keys = failures.map(({ key }) => key);
  await system.unbound.query(sql`
    UPDATE work_turns t SET holder = NULL, until = '-infinity', is_waiting = true, attempts = attempts + 1, last_fault = f.fault,
      due = now() + make_interval(secs => f.pause_seconds)
    FROM (${heldKeys({ queue, holder, keys })}) o
    JOIN unnest(${keys}::uuid[], ${failures.map(({ fault }) => fault)}::text[], ${failures.map(({ pauseSeconds }) => pauseSeconds)}::float8[])
      AS f (key, fault, pause_seconds) ON f.key = o.key
    WHERE t.queue = ${queue} AND t.key = o.key`);
}

/** Releases keys when the process stops, so that another worker continues at once. */
export async function releaseOnStop(system: Postgres, leases: Leases): Promise<void> {
  await system.unbound.query(sql`
    UPDATE work_turns t SET holder = NULL, until = '-infinity', due = now()
    FROM (${heldKeys(leases)}) o WHERE t.queue = ${leases.queue} AND t.key = o.key`);
}

/** Marks keys with new items as waiting. A key whose last batch failed keeps its pause. */
export async function noteWaiting(
  system: Postgres,
  waiting: readonly { readonly queue: string; readonly key: string }[],
): Promise<void> {
  if (waiting.length === 0) return;
  await system.unbound.query(sql`
    INSERT INTO work_turns AS t (queue, key)
    SELECT * FROM unnest(${waiting.map(({ queue }) => queue)}::text[], ${waiting.map(({ key }) => key)}::uuid[]) AS w (queue, key)
    ORDER BY queue, key
    ON CONFLICT (queue, key) DO UPDATE SET is_waiting = true, due = least(t.due, now()),
      waiting_since = CASE WHEN t.attempts = 0 THEN now() ELSE t.waiting_since END
    WHERE NOT t.is_waiting`);
}

/** Milliseconds until the next key of a queue can be claimed; undefined when there is none. */
export async function nextDueMs(system: Postgres, queue: string): Promise<number | undefined> {
  const { rows } = await system.unbound.query(sql<{ ms: number | null }>`
    SELECT (extract(epoch FROM min(greatest(due, until)) - now()) * 1000)::float8 AS ms FROM work_turns WHERE queue = ${queue}`);
  const ms = rows[0]?.ms;
  return ms === null || ms === undefined ? undefined : Math.max(0, ms);
}

/** Seconds since the longest waiting key of a queue last had a successful batch. */
export async function oldestSeconds(system: Postgres, queue: string): Promise<number> {
  const { rows } = await system.unbound.query(sql<{ seconds: number | null }>`
    SELECT extract(epoch FROM now() - min(waiting_since))::float8 AS seconds FROM work_turns
    WHERE queue = ${queue} AND (is_waiting OR holder IS NOT NULL)`);
  return rows[0]?.seconds ?? 0;
}
