import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouse } from '@tributary/clickhouse';
import type { Postgres } from '@tributary/postgres';
import { sql } from 'kysely';
import { attributeBatch, LeaseLost } from './attribute-batch.ts';

export interface AttributionOptions {
  readonly app: Postgres;
  readonly system: Postgres;
  readonly clickhouse: ClickHouse;
  readonly now: () => Date;
  readonly onError: (error: unknown) => void;
  readonly batchSize?: number;
  readonly idleMs?: number;
}

const leaseSeconds = 120;
/** Then the others get their turn. */
const batchesInARow = 10;

/** Works out what is dirty, until it is stopped. Any number may run; a profile has one at a time. */
export function startAttribution({
  app,
  system,
  clickhouse,
  now,
  onError,
  batchSize = 5_000,
  idleMs = 500,
}: AttributionOptions): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const pause = () => sleep(idleMs, undefined, { signal: stopping.signal }).catch(() => {});
  let last = randomUUID() as string;

  const workOn = async (profileId: string, holder: string) => {
    for (let batch = 0; batch < batchesInARow && !stopping.signal.aborted; batch += 1) {
      const done = await attributeBatch({ app, clickhouse }, { profileId, holder, size: batchSize }, now());
      if (done < batchSize) return;
      await prolong(system, profileId, holder, now());
    }
  };

  const loop = async () => {
    while (!stopping.signal.aborted) {
      const holder = randomUUID();
      let profileId: string | undefined;
      try {
        profileId = await claim(system, holder, last, now());
        if (profileId === undefined) {
          await pause();
          continue;
        }
        last = profileId;
        await workOn(profileId, holder);
      } catch (error) {
        if (!(error instanceof LeaseLost)) onError(error);
        await pause();
      } finally {
        if (profileId) await release(system, profileId, holder).catch(onError);
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

async function claim(system: Postgres, holder: string, after: string, now: Date): Promise<string | undefined> {
  const { rows } = await system.unbound.query(
    sql<{
      profile: string | null;
    }>`SELECT claim_attribution(${holder}, ${after}, ${now}, make_interval(secs => ${leaseSeconds})) AS profile`,
  );
  return rows[0]?.profile ?? undefined;
}

async function prolong(system: Postgres, profileId: string, holder: string, now: Date): Promise<void> {
  const { numAffectedRows } = await system.unbound.query(
    sql`UPDATE attribution_leases SET until = ${now}::timestamptz + make_interval(secs => ${leaseSeconds}) WHERE profile_id = ${profileId} AND holder = ${holder}`,
  );
  if (numAffectedRows !== 1n) throw new LeaseLost();
}

async function release(system: Postgres, profileId: string, holder: string): Promise<void> {
  await system.unbound.query(
    sql`DELETE FROM attribution_leases WHERE profile_id = ${profileId} AND holder = ${holder}`,
  );
}
