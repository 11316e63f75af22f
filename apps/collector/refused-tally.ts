import { randomUUID } from 'node:crypto';
import { refusedMessage } from '@tributary/domain/ingestion/intake.ts';
import type { RefusedReason } from '@tributary/vocabulary';
import { LRUCache } from 'lru-cache';
import type { VisitLog } from './visit-log.ts';

type Counts = Partial<Record<RefusedReason, number>>;

const tellEveryMs = 30_000;

/**
 * Visits that were sent away, by profile and reason, so that the profile learns of them. Each collector tells through the log how many
 * they are by now on this day, and not how many more they became: told twice, in whichever order, it is the same.
 */
export class RefusedTally {
  readonly #log: Pick<VisitLog, 'publish'>;
  readonly #now: () => Date;
  /** Of this process: after a start it counts anew, under another name. */
  readonly #teller = randomUUID();
  readonly #counts = new LRUCache<string, { readonly day: string; readonly counts: Counts }>({ max: 10_000 });
  readonly #timer: NodeJS.Timeout;
  #changed = new Set<string>();

  constructor(log: Pick<VisitLog, 'publish'>, now: () => Date) {
    this.#log = log;
    this.#now = now;
    this.#timer = setInterval(() => void this.flush(), tellEveryMs).unref();
  }

  count(profileId: string, reason: RefusedReason, visits: number): void {
    const day = this.#now().toISOString().slice(0, 10);
    let known = this.#counts.get(profileId);
    if (known?.day !== day) {
      known = { day, counts: {} };
      this.#counts.set(profileId, known);
    }
    known.counts[reason] = (known.counts[reason] ?? 0) + visits;
    this.#changed.add(profileId);
  }

  /** What the log does not take now is in the next tally all the same. */
  async flush(): Promise<void> {
    const changed = this.#changed;
    this.#changed = new Set();
    await Promise.allSettled(
      [...changed].map(async (profileId) => {
        const known = this.#counts.get(profileId);
        if (!known) return;
        const message = refusedMessage(profileId, this.#teller, this.#now().toISOString(), known);
        try {
          await this.#log.publish(profileId, message.id, profileId, JSON.stringify(message));
        } catch (error) {
          this.#changed.add(profileId);
          throw error;
        }
      }),
    );
  }

  close(): Promise<void> {
    clearInterval(this.#timer);
    return this.flush();
  }
}
