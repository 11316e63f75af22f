import type { Ledger } from '@tributary/postgres';
import { hourMs, limits } from '@tributary/vocabulary';
import { removeUnallowedClients } from './assistant-store.ts';

const batchSize = 1_000;

/** Deletes clients that registered more than a day ago and have no consent. */
export async function forgetUnallowedClients(ledger: Ledger, now: Date, signal: AbortSignal): Promise<number> {
  const before = new Date(now.getTime() - limits.assistants.unallowedHours * hourMs);
  let total = 0;
  while (!signal.aborted) {
    const removed = await ledger.transaction((tx) => removeUnallowedClients(tx, before, batchSize));
    total += removed;
    if (removed < batchSize) break;
  }
  return total;
}
