import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouse } from '@tributary/clickhouse';
import type { Postgres } from '@tributary/postgres';
import { sql } from 'kysely';
import { copyDelivery } from './copy-delivery.ts';

export interface DeliveryCopyOptions {
  readonly app: Postgres;
  readonly system: Postgres;
  readonly clickhouse: ClickHouse;
  readonly now: () => Date;
  readonly onError: (error: unknown) => void;
  readonly batchSize?: number;
  readonly idleMs?: number;
}

/** After which somebody else takes the profile: longer than a batch takes, and short enough to wait for when a worker died. */
const leaseSeconds = 15;
/** For the profile that failed; the others get their turn at once. */
const retrySeconds = 5;

/** Copies what is recorded of ads into the columns, until it is stopped. Any number may run; who waited longest comes first. */
export function startDeliveryCopy({
  app,
  system,
  clickhouse,
  now,
  onError,
  batchSize = 5_000,
  idleMs = 500,
}: DeliveryCopyOptions): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const pause = () => sleep(idleMs, undefined, { signal: stopping.signal }).catch(() => {});

  /** Whether there was anything to do. */
  const turn = async (): Promise<boolean> => {
    const claimed = await claim(system, now());
    if (!claimed) return false;
    try {
      const isMore = await copyDelivery({ app, clickhouse }, claimed.profile_id, batchSize);
      await release(system, claimed, { until: now(), isDone: !isMore });
      return true;
    } catch (error) {
      await release(system, claimed, { until: later(now(), retrySeconds), isDone: false }).catch(onError);
      throw error;
    }
  };

  const loop = async () => {
    while (!stopping.signal.aborted) {
      const wasBusy = await turn().catch(onError);
      if (!wasBusy) await pause();
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

interface Claim {
  readonly profile_id: string;
  readonly mark: string;
}

async function claim(system: Postgres, now: Date): Promise<Claim | undefined> {
  const { rows } = await system.unbound.query(sql<Claim>`
    UPDATE delivery_copies SET taken_until = ${later(now, leaseSeconds)}
    WHERE profile_id = (
      SELECT profile_id FROM delivery_copies WHERE is_due AND taken_until <= ${now} ORDER BY taken_until LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING profile_id, mark`);
  return rows[0];
}

/** Done is what nobody has added to since it was claimed. */
async function release(
  system: Postgres,
  { profile_id, mark }: Claim,
  { until, isDone }: { until: Date; isDone: boolean },
): Promise<void> {
  await system.unbound.query(sql`
    UPDATE delivery_copies SET taken_until = ${until}, is_due = NOT (${isDone} AND mark = ${mark}) WHERE profile_id = ${profile_id}`);
}

const later = (now: Date, seconds: number): Date => new Date(now.getTime() + seconds * 1_000);
