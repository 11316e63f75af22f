import { names, read, remove, write } from './storage.ts';
import { timeOf } from './uuid.ts';
import type { Visit } from './visit.ts';

/**
 * Visits that the collector has not confirmed. Each has an entry of its own, so that tabs cannot overwrite each other's, and the entry's
 * name begins with the tracking key, so that two sites of one origin do not send each other's.
 */
const maximumVisits = 100;
const maximumAgeMs = 48 * 3_600_000;
const maximumBatch = 10;
/** Three bytes a character at the worst, which leaves a request below the 64 KiB that collector and browser allow. */
const maximumCharacters = 20_000;

export interface Batch {
  readonly names: readonly string[];
  /** The visits as JSON, with commas between them. */
  readonly text: string;
}

export interface Queue {
  add(visit: Visit): void;
  /** The oldest visits that fit into one request. */
  batch(except: ReadonlySet<string>): Batch;
  isBatchFull(): boolean;
}

export function openQueue(key: string): Queue {
  const waiting = () => names(`visit_${key}_`);

  return {
    add(visit) {
      const text = JSON.stringify(visit);
      if (text.length > maximumCharacters) return;
      write(`visit_${key}_${visit.id}`, text);
      for (const name of waiting().slice(0, -maximumVisits)) remove(name);
    },

    batch(except) {
      removeOld();
      const taken: string[] = [];
      let text = '';
      for (const name of waiting()) {
        const visit = read(name);
        if (except.has(name) || !visit) continue;
        if (taken.length === maximumBatch || text.length + visit.length > maximumCharacters) break;
        text += (text && ',') + visit;
        taken.push(name);
      }
      return { names: taken, text };
    },

    isBatchFull: () => waiting().length >= maximumBatch,
  };
}

/** Of every key, or a site that changes its key would leave visits behind for ever. */
function removeOld(): void {
  for (const name of names('visit_')) {
    const age = Date.now() - timeOf(name.slice(name.lastIndexOf('_') + 1));
    if (!(age < maximumAgeMs)) remove(name);
  }
}
