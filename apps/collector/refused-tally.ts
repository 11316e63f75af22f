import { randomUUID } from 'node:crypto';
import { refusedMessage } from '@tributary/domain/traffic/ingestion/intake.ts';
import type { RefusedReason } from '@tributary/vocabulary';
import { LRUCache } from 'lru-cache';
import type { VisitLog } from './visit-log.ts';

type Counts = Partial<Record<RefusedReason, number>>;

const publishEveryMs = 30_000;

/**
 * Counts rejected visits by profile and reason, to report them to the profile. Each collector publishes its running totals of the
 * day, not increments, so repeated or reordered messages are harmless.
 */
export class RefusedTally {
  readonly #log: Pick<VisitLog, 'publish'>;
  readonly #now: () => Date;
  /** Identifies this process: after a restart it counts from zero under a new id. */
  readonly #collectorId = randomUUID();
  readonly #counts = new LRUCache<string, { readonly day: string; readonly counts: Counts }>({ max: 10_000 });
  readonly #timer: NodeJS.Timeout;
  #changed = new Set<string>();

  constructor(log: Pick<VisitLog, 'publish'>, now: () => Date) {
    this.#log = log;
    this.#now = now;
    this.#timer = setInterval(() => void this.flush(), publishEveryMs).unref();
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

  /** A total that the stream does not accept is contained in the next one. */
  async flush(): Promise<void> {
    const changed = this.#changed;
    this.#changed = new Set();
    await Promise.allSettled(
      [...changed].map(async (profileId) => {
        const known = this.#counts.get(profileId);
        if (!known) return;
        const message = refusedMessage(profileId, this.#collectorId, this.#now().toISOString(), known);
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
