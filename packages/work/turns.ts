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
  /** Whoever left something in silence, trusting in this turn, is older than this. */
  readonly bound: string;
}

/** The key that is due and has waited longest. */
export async function claimKey(
  system: Postgres,
  queue: string,
  holder: string,
  leaseSeconds: number,
): Promise<Claimed | undefined> {
  const { rows } = await system.unbound.query(sql<Omit<Claimed, 'bound'>>`
    UPDATE work_turns t SET holder = ${holder}, until = now() + make_interval(secs => ${leaseSeconds}), is_waiting = false
    FROM (
      SELECT queue, key FROM work_turns WHERE queue = ${queue} AND due <= now() AND until <= now()
      ORDER BY due LIMIT 1 FOR UPDATE SKIP LOCKED) c
    WHERE t.queue = c.queue AND t.key = c.key
    RETURNING t.key, t.attempts, EXISTS (SELECT FROM work_set_aside s WHERE s.queue = t.queue AND s.key = t.key) AS "hasSetAside"`);
  const [claimed] = rows;
  return claimed && { ...claimed, bound: await newestTransaction(system) };
}

/** Asked once nobody can see any longer that the key was waiting: all who did see it have begun before. */
async function newestTransaction(system: Postgres): Promise<string> {
  const { rows } = await system.unbound.query(
    sql<{ bound: string }>`SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS bound`,
  );
  return rows[0]?.bound ?? '0';
}

/** A certain key, for who works on it outside of the queue; false while it is somebody else's. Again, to keep it. */
export async function takeLease(tx: Tx, { queue, key, holder }: Lease, leaseSeconds: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    INSERT INTO work_turns AS t (queue, key, holder, until)
    VALUES (${queue}, ${key}, ${holder}, now() + make_interval(secs => ${leaseSeconds}))
    ON CONFLICT (queue, key) DO UPDATE SET holder = excluded.holder, until = excluded.until
    WHERE t.until <= now() OR t.holder = excluded.holder`.execute(tx);
  return numAffectedRows === 1n;
}

/** Gives back what `takeLease` took. Whatever came meanwhile is looked at. */
export async function returnLease(tx: Tx, { queue, key, holder }: Lease): Promise<void> {
  const { numAffectedRows } = await sql`
    UPDATE work_turns SET holder = NULL, until = '-infinity', due = now()
    WHERE queue = ${queue} AND key = ${key} AND holder = ${holder}`.execute(tx);
  if (numAffectedRows === 1n) await sql`SELECT pg_notify('tributary_work', ${`${queue} ${key}`})`.execute(tx);
}

export async function prolong(system: Postgres, lease: Lease, leaseSeconds: number): Promise<void> {
  const { numAffectedRows } = await system.unbound.query(sql`
    UPDATE work_turns SET until = now() + make_interval(secs => ${leaseSeconds})
    WHERE queue = ${lease.queue} AND key = ${lease.key} AND holder = ${lease.holder}`);
  if (numAffectedRows !== 1n) throw new LeaseLost();
}

/** For the transaction that says that something is done: the key is ours until it ends, or it fails. */
export async function holdLease(tx: Tx, { queue, key, holder }: Lease): Promise<void> {
  const { rows } = await sql`
    SELECT FROM work_turns WHERE queue = ${queue} AND key = ${key} AND holder = ${holder} FOR UPDATE`.execute(tx);
  if (rows.length === 0) throw new LeaseLost();
}

export interface TurnEnd {
  readonly bound: string;
  /** Whether anything was found. */
  readonly wasBusy: boolean;
  /** More waits than one batch takes. */
  readonly isMore: boolean;
  /** What is there cannot be done yet; look again after this. */
  readonly againSeconds: number | undefined;
  /** The same, and sooner if something is left. */
  readonly laterSeconds: number | undefined;
  readonly paceMs: number;
}

/**
 * A key goes to rest after a look that found nothing and whose elders have all ended: a transaction that left something without a word,
 * because the key was waiting then, may have committed after the look. As long as there are such, it is looked at again, ever less often.
 */
export async function endTurn(system: Postgres, { queue, key, holder }: Lease, end: TurnEnd): Promise<void> {
  const eldersEnded = sql`pg_snapshot_xmin(pg_current_snapshot()) >= ${end.bound}::xid8`;
  await system.unbound.transaction(async (tx) => {
    if (!end.wasBusy && !end.isMore && end.againSeconds === undefined && end.laterSeconds === undefined) {
      const { numAffectedRows } = await sql`
        DELETE FROM work_turns WHERE queue = ${queue} AND key = ${key} AND holder = ${holder} AND NOT is_waiting
          AND ${eldersEnded}`.execute(tx);
      if (numAffectedRows === 1n) return;
    }
    await sql`
      UPDATE work_turns SET holder = NULL, attempts = 0, last_fault = NULL,
        is_waiting = is_waiting OR ${end.isMore || end.againSeconds !== undefined},
        until = now() + CASE WHEN ${end.isMore} THEN interval '0' ELSE make_interval(secs => ${end.paceMs / 1_000}) END,
        due = CASE
          WHEN ${end.isMore} OR is_waiting THEN now()
          WHEN ${end.againSeconds ?? null}::float8 IS NOT NULL THEN now() + make_interval(secs => ${end.againSeconds ?? 0})
          WHEN ${end.wasBusy} THEN now() + interval '1 second'
          WHEN ${end.laterSeconds ?? null}::float8 IS NOT NULL AND ${eldersEnded} THEN now() + make_interval(secs => ${end.laterSeconds ?? 0})
          ELSE now() + least(greatest(now() - waiting_since, interval '1 second'), interval '15 seconds') END,
        waiting_since = CASE WHEN ${end.wasBusy} AND NOT is_waiting THEN now() ELSE waiting_since END
      WHERE queue = ${queue} AND key = ${key} AND holder = ${holder}`.execute(tx);
  });
}

/** Whoever leaves something now need not say so: it is looked at when the pause is over. */
export async function failTurn(
  system: Postgres,
  { queue, key, holder }: Lease,
  { fault, pauseSeconds }: { readonly fault: string; readonly pauseSeconds: number },
): Promise<void> {
  await system.unbound.query(sql`
    UPDATE work_turns SET holder = NULL, until = '-infinity', is_waiting = true, attempts = attempts + 1, last_fault = ${fault},
      due = now() + make_interval(secs => ${pauseSeconds})
    WHERE queue = ${queue} AND key = ${key} AND holder = ${holder}`);
}

/** The process stops: somebody else goes on at once. */
export async function dropTurn(system: Postgres, { queue, key, holder }: Lease): Promise<void> {
  await system.unbound.query(sql`
    UPDATE work_turns SET holder = NULL, until = '-infinity', due = now()
    WHERE queue = ${queue} AND key = ${key} AND holder = ${holder}`);
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
