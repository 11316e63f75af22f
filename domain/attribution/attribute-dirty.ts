import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouse } from '@tributary/clickhouse';
import type { Postgres } from '@tributary/postgres';
import { attributeBatch } from './attribute-batch.ts';
import { defaultLeaseSeconds, LeaseLost, leaseDirtyProfile, leaseProfile, releaseProfile } from './lease.ts';

export interface AttributionOptions {
  readonly app: Postgres;
  readonly system: Postgres;
  readonly clickhouse: ClickHouse;
  readonly now: () => Date;
  readonly onError: (error: unknown) => void;
  readonly batchSize?: number;
  /** How long a dead worker's profile waits for the next one. */
  readonly leaseSeconds?: number;
  readonly idleMs?: number;
}

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
  leaseSeconds = defaultLeaseSeconds,
  idleMs = 500,
}: AttributionOptions): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const pause = () => sleep(idleMs, undefined, { signal: stopping.signal }).catch(() => {});
  let last = randomUUID() as string;

  const workOn = async (profileId: string, holder: string) => {
    for (let batch = 0; batch < batchesInARow && !stopping.signal.aborted; batch += 1) {
      const done = await attributeBatch({ app, clickhouse }, { profileId, holder, size: batchSize }, now());
      if (done < batchSize) return;
      if (!(await leaseProfile(app, profileId, holder, now(), leaseSeconds))) throw new LeaseLost();
    }
  };

  const loop = async () => {
    while (!stopping.signal.aborted) {
      const holder = randomUUID();
      let profileId: string | undefined;
      try {
        profileId = await leaseDirtyProfile(system, holder, last, now(), leaseSeconds);
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
        if (profileId) await releaseProfile(app, profileId, holder).catch(onError);
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
