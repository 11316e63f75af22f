import { listSaleSources, type SourceSums, sumBySource } from '@tributary/domain/commerce/outcomes';
import type { Ledger } from '@tributary/postgres';
import { daysOf } from '@tributary/rules';
import { dayMs } from '@tributary/vocabulary';
import type { Span } from './compared.ts';

/** The payments that a source reported on a UTC day, and how many of them count. */
export interface SourceOfDay extends SourceSums {
  readonly day: string;
}

/** Counted payments of each source per day. Empty with a single source, where all of them count. */
export async function sumSources(
  ledger: Ledger,
  { profileId, dateFrom, dateTo, now }: Span,
  signal: AbortSignal,
): Promise<SourceOfDay[]> {
  const sources = await ledger.transaction((tx) => listSaleSources(tx, profileId), { readOnly: true });
  if (sources.length < 2) return [];
  const sums: SourceOfDay[] = [];
  for (const day of daysOf(dateFrom, dateTo)) {
    signal.throwIfAborted();
    const from = new Date(day);
    if (from > now) break;
    const until = new Date(from.getTime() + dayMs);
    const found = await ledger.transaction((tx) => sumBySource(tx, profileId, from, until), { readOnly: true });
    sums.push(...found.map((one) => ({ ...one, day })));
  }
  return sums;
}
