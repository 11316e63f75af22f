import { setTimeout as sleep } from 'node:timers/promises';
import type { Ledger, Postgres } from '@tributary/postgres';
import { sql } from 'kysely';
import { promptMs } from './log.ts';

/**
 * Moves committed outbox rows to the event log and numbers them. The lock on the counter row makes other sequencers wait until these numbers
 * are visible, so a reader that follows the numbers never skips one that appears later. Resolves to the number of moved rows.
 */
export async function sequenceBatch(system: Ledger, now: Date, limit = 5_000): Promise<number> {
  return system.transaction(async (tx) => {
    const counter = await tx.selectFrom('event_counter').select('last').forUpdate().executeTakeFirstOrThrow();
    const moved = await sql<{ moved: number }>`
      WITH moved AS (
        DELETE FROM outbox WHERE id IN (SELECT id FROM outbox ORDER BY id LIMIT ${limit})
        RETURNING id, profile_id, type, payload, occurred_at
      ), numbered AS (
        INSERT INTO event_log (sequence, id, profile_id, type, payload, occurred_at, sequenced_at, kept_from)
        SELECT ${counter.last}::bigint + row_number() OVER (ORDER BY id), id, profile_id, type, payload, occurred_at, ${now},
          ${new Date(now.getTime() + promptMs)}
        FROM moved
        RETURNING 1
      )
      UPDATE event_counter SET last = last + (SELECT count(*) FROM numbered)
      RETURNING last - ${counter.last}::bigint AS moved`.execute(tx);
    return Number(moved.rows[0]?.moved ?? 0);
  });
}

/** Counts events that are not numbered yet, up to a limit. */
export async function countEvents(system: Postgres, limit: number): Promise<number> {
  const { rows } = await system.unbound.query(
    sql<{ n: number }>`SELECT count(*)::int AS n FROM (SELECT FROM outbox LIMIT ${limit}) o`,
  );
  return rows[0]?.n ?? 0;
}

export interface SequencerOptions {
  readonly system: Ledger;
  readonly now: () => Date;
  readonly idleMs?: number;
  readonly onError: (error: unknown) => void;
}

/** Runs until stopped. Several processes may run it; the counter lock lets one work at a time. */
export function startSequencer({ system, now, idleMs = 100, onError }: SequencerOptions): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const pause = () => sleep(idleMs, undefined, { signal: stopping.signal }).catch(() => {});
  const loop = async () => {
    while (!stopping.signal.aborted) {
      try {
        if ((await sequenceBatch(system, now())) === 0) await pause();
      } catch (error) {
        onError(error);
        await pause();
      }
    }
  };
  const done = loop();
  return {
    stop: () => {
      stopping.abort();
      return done;
    },
  };
}
