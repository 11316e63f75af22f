import { listNames, read, remove, write } from './storage.ts';
import { timeOf } from './uuid.ts';
import type { Visit } from './visit.ts';

/**
 * Visits that the collector has not confirmed. Each is its own storage entry, so that tabs cannot overwrite each other's. The
 * entry's name starts with the tracking key, so that two sites on one origin do not send each other's visits.
 */
const maximumVisits = 100;
const maximumAgeMs = 48 * 3_600_000;
const maximumBatch = 10;
/** At three bytes per character in the worst case, a request stays below the 64 KiB limit of collector and browser. */
const maximumCharacters = 20_000;

export interface Batch {
  readonly names: readonly string[];
  /** The visits as JSON, comma-separated. */
  readonly text: string;
}

export interface Queue {
  add(visit: Visit): void;
  /** The oldest visits that fit into one request. */
  batch(except: ReadonlySet<string>): Batch;
  isBatchFull(): boolean;
}

export function openQueue(key: string): Queue {
  const listWaiting = () => listNames(`visit_${key}_`);

  return {
    add(visit) {
      const text = JSON.stringify(visit);
      if (text.length > maximumCharacters) return;
      write(`visit_${key}_${visit.id}`, text);
      for (const name of listWaiting().slice(0, -maximumVisits)) remove(name);
    },

    batch(except) {
      removeOld();
      const batchNames: string[] = [];
      let text = '';
      for (const name of listWaiting()) {
        const visit = read(name);
        if (except.has(name) || !visit) continue;
        if (batchNames.length === maximumBatch || text.length + visit.length > maximumCharacters) break;
        text += (text && ',') + visit;
        batchNames.push(name);
      }
      return { names: batchNames, text };
    },

    isBatchFull: () => listWaiting().length >= maximumBatch,
  };
}

/** Covers all keys; otherwise a site that changes its key would leave visits behind. */
function removeOld(): void {
  for (const name of listNames('visit_')) {
    const age = Date.now() - timeOf(name.slice(name.lastIndexOf('_') + 1));
    if (!(age < maximumAgeMs)) remove(name);
  }
}
