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
  readonly profilesAtOnce?: number;
  /** How long a dead worker's profile waits for the next one. */
  readonly leaseSeconds?: number;
  /**
   * How long to wait when nothing is dirty, and at least between two turns of a profile: what trickles in meanwhile makes one batch
   * instead of many.
   */
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
  profilesAtOnce = 3,
  leaseSeconds = defaultLeaseSeconds,
  idleMs = 500,
}: AttributionOptions): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const pause = (ms: number) => sleep(Math.max(0, ms), undefined, { signal: stopping.signal }).catch(() => {});

  const workOn = async (profileId: string, holder: string) => {
    for (let batch = 0; batch < batchesInARow && !stopping.signal.aborted; batch += 1) {
      const done = await attributeBatch({ app, clickhouse }, { profileId, holder, size: batchSize }, now());
      if (done < batchSize) return;
      if (!(await leaseProfile(app, profileId, holder, now(), leaseSeconds))) throw new LeaseLost();
    }
  };

  const takeTurn = async (profileId: string, holder: string) => {
    try {
      await workOn(profileId, holder);
    } catch (error) {
      if (!(error instanceof LeaseLost)) onError(error);
    } finally {
      await releaseProfile(app, profileId, holder).catch(onError);
    }
  };

  const loop = async () => {
    const turns = new Set<Promise<void>>();
    let last = randomUUID() as string;
    let roundBegan = Number.NEGATIVE_INFINITY;
    while (!stopping.signal.aborted) {
      if (turns.size === profilesAtOnce) await Promise.race(turns);
      const holder = randomUUID();
      const profileId = await leaseDirtyProfile(system, holder, last, now(), leaseSeconds).catch(onError);
      if (!profileId) {
        await pause(idleMs);
        continue;
      }
      if (profileId <= last) {
        // Each has had its turn.
        await pause(roundBegan + idleMs - performance.now());
        roundBegan = performance.now();
      }
      last = profileId;
      const turn = takeTurn(profileId, holder).finally(() => turns.delete(turn));
      turns.add(turn);
    }
    await Promise.all(turns);
  };
  const done = loop();
  return {
    stop: () => {
      stopping.abort();
      return done;
    },
  };
}
