import type { Postgres, Tx } from '@tributary/postgres';
import { sql } from 'kysely';

/** Whose turn it is, for all queues: the one table of leases. Times are PostgreSQL's, since the workers' clocks differ. */

/** A key of a queue, and who works on it. */
export interface Lease {
  readonly queue: string;
  readonly key: string;
  readonly holder: string;
}

/** The key is somebody else's now. What was worked out stands under the lower version and harms nobody. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

export interface Claimed {
  readonly key: string;
  /** Turns that failed one after the other. */
  readonly attempts: number;
  readonly hasSetAside: boolean;
}

/** Some keys of a queue, and who works on them. */
export interface Leases {
  readonly queue: string;
  readonly holder: string;
  readonly keys: readonly string[];
}

export interface Claim {
  readonly claimed: readonly Claimed[];
  /** Whoever left something in silence, trusting in this turn, is older than this. */
  readonly bound: string;
}

/** The keys that are due, those first that have waited longest. */
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

/** Asked once nobody can see any longer that the keys were waiting: all who did see it have begun before. */
async function newestTransaction(system: Postgres): Promise<string> {
  const { rows } = await system.unbound.query(
    sql<{ bound: string }>`SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS bound`,
  );
  return rows[0]?.bound ?? '0';
}

/** Those of the keys that are still ours, locked in the order in which everybody locks several. */
const ours = ({ queue, holder, keys }: Leases) => sql`
  SELECT key FROM work_turns WHERE queue = ${queue} AND key = ANY (${keys}::uuid[]) AND holder = ${holder}
  ORDER BY key FOR UPDATE`;

/**
 * A certain key, for who works on it outside of the queue; false while it is somebody else's. Again, to keep it. The pace of the queue is no
 * reason to wait: where there is always something to do, its next turn begins at the moment at which the pace ends.
 */
export async function takeLease(tx: Tx, { queue, key, holder }: Lease, leaseSeconds: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    INSERT INTO work_turns AS t (queue, key, holder, until)
    VALUES (${queue}, ${key}, ${holder}, now() + make_interval(secs => ${leaseSeconds}))
    ON CONFLICT (queue, key) DO UPDATE SET holder = excluded.holder, until = excluded.until
    WHERE t.holder IS NULL OR t.until <= now() OR t.holder = excluded.holder`.execute(tx);
  return numAffectedRows === 1n;
}

/** Gives back what `takeLease` took. Whatever came meanwhile is looked at. */
export async function returnLease(tx: Tx, { queue, key, holder }: Lease): Promise<void> {
  const { numAffectedRows } = await sql`
    UPDATE work_turns SET holder = NULL, until = '-infinity', due = now()
    WHERE queue = ${queue} AND key = ${key} AND holder = ${holder}`.execute(tx);
  if (numAffectedRows === 1n) await sql`SELECT pg_notify('tributary_work', ${`${queue} ${key}`})`.execute(tx);
}

/** Resolves to how many of them are still ours. */
export async function prolong(system: Postgres, leases: Leases, leaseSeconds: number): Promise<number> {
  const { numAffectedRows } = await system.unbound.query(sql`
    UPDATE work_turns t SET until = now() + make_interval(secs => ${leaseSeconds})
    FROM (${ours(leases)}) o WHERE t.queue = ${leases.queue} AND t.key = o.key`);
  return Number(numAffectedRows ?? 0);
}

/** For the transaction that says that something is done: the key is ours until it ends, or it fails. */
export async function holdLease(tx: Tx, { queue, key, holder }: Lease): Promise<void> {
  if ((await holdLeases(tx, { queue, holder, keys: [key] })).size === 0) throw new LeaseLost();
}

/** The same for many: which of them are ours until it ends. */
export async function holdLeases(tx: Tx, leases: Leases): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ key: string }>`${ours(leases)}`.execute(tx);
  return new Set(rows.map(({ key }) => key));
}

export interface TurnEnd {
  readonly key: string;
  /** Whether anything was found. */
  readonly wasBusy: boolean;
  /** More waits than one batch takes. */
  readonly isMore: boolean;
  /** What is there cannot be done yet; look again after this. */
  readonly againSeconds?: number | undefined;
  /** The same, and sooner if something is left. */
  readonly laterSeconds?: number | undefined;
}

/**
 * A key goes to rest after a look that found nothing and whose elders have all ended: a transaction that left something without a word,
 * because the key was waiting then, may have committed after the look. As long as there are such, it is looked at again, ever less often.
 */
export async function endTurns(
  system: Postgres,
  { queue, holder }: Omit<Leases, 'keys'>,
  ends: readonly TurnEnd[],
  { bound, paceMs }: { readonly bound: string; readonly paceMs: number },
): Promise<void> {
  if (ends.length === 0) return;
  await system.unbound.transaction(async (tx) => {
    const held = await holdLeases(tx, { queue, holder, keys: ends.map(({ key }) => key) });
    const resting = ends.filter(
      (end) => !end.wasBusy && !end.isMore && end.againSeconds === undefined && end.laterSeconds === undefined,
    );
    await sql`
      DELETE FROM work_turns WHERE queue = ${queue} AND key = ANY (${resting.map(({ key }) => key)}::uuid[]) AND holder = ${holder}
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

export interface TurnFailure {
  readonly key: string;
  readonly fault: string;
  readonly pauseSeconds: number;
}

/** Whoever leaves something now need not say so: it is looked at when the pause is over. */
export async function failTurns(
  system: Postgres,
  { queue, holder }: Omit<Leases, 'keys'>,
  failures: readonly TurnFailure[],
): Promise<void> {
  if (failures.length === 0) return;
  const keys = failures.map(({ key }) => key);
  await system.unbound.query(sql`
    UPDATE work_turns t SET holder = NULL, until = '-infinity', is_waiting = true, attempts = attempts + 1, last_fault = f.fault,
      due = now() + make_interval(secs => f.pause_seconds)
    FROM (${ours({ queue, holder, keys })}) o
    JOIN unnest(${keys}::uuid[], ${failures.map(({ fault }) => fault)}::text[], ${failures.map(({ pauseSeconds }) => pauseSeconds)}::float8[])
      AS f (key, fault, pause_seconds) ON f.key = o.key
    WHERE t.queue = ${queue} AND t.key = o.key`);
}

/** The process stops: somebody else goes on at once. */
export async function dropTurns(system: Postgres, leases: Leases): Promise<void> {
  await system.unbound.query(sql`
    UPDATE work_turns t SET holder = NULL, until = '-infinity', due = now()
    FROM (${ours(leases)}) o WHERE t.queue = ${leases.queue} AND t.key = o.key`);
}

/** Something was left under these keys. One whose last turn failed keeps its pause. */
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

/** In how many milliseconds the next key of a queue may be claimed; undefined when there is none. */
export async function nextDueMs(system: Postgres, queue: string): Promise<number | undefined> {
  const { rows } = await system.unbound.query(sql<{ ms: number | null }>`
    SELECT (extract(epoch FROM min(greatest(due, until)) - now()) * 1000)::float8 AS ms FROM work_turns WHERE queue = ${queue}`);
  const ms = rows[0]?.ms;
  return ms === null || ms === undefined ? undefined : Math.max(0, ms);
}

/** Seconds since which the key of a queue that waits longest has had no turn that succeeded. */
export async function oldestSeconds(system: Postgres, queue: string): Promise<number> {
  const { rows } = await system.unbound.query(sql<{ seconds: number | null }>`
    SELECT extract(epoch FROM now() - min(waiting_since))::float8 AS seconds FROM work_turns
    WHERE queue = ${queue} AND (is_waiting OR holder IS NOT NULL)`);
  return rows[0]?.seconds ?? 0;
}
