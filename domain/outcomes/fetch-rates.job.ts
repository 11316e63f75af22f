import type { Postgres } from '@tributary/postgres';
import { type Quote, readBcchRates, readEcbRates } from '@tributary/rules';
import { priceOutcomes, saveRates } from './exchange-rates.ts';

/** Where each bank publishes its rates; one that has no address is not asked. */
export interface RateSources {
  readonly ecb?: string | undefined;
  readonly bcch?: string | undefined;
}

const readers = { ecb: readEcbRates, bcch: readBcchRates } as const satisfies Record<
  keyof RateSources,
  (text: string) => Quote[]
>;

/** Asks every bank; one that fails does not keep the others from being heard, and the job from failing in the end. */
export async function fetchRates(
  { app, system, get }: { app: Postgres; system: Postgres; get(url: string, signal: AbortSignal): Promise<string> },
  sources: RateSources,
  signal: AbortSignal,
): Promise<void> {
  const failures: unknown[] = [];
  for (const [name, read] of Object.entries(readers) as [keyof RateSources, (text: string) => Quote[]][]) {
    const url = sources[name];
    if (!url) continue;
    try {
      await saveRates(system, name, read(await get(url, signal)));
    } catch (error) {
      failures.push(error);
    }
  }
  await priceOutcomes(app, system, signal);
  if (failures.length > 0) throw new AggregateError(failures, 'Not every source of exchange rates could be read.');
}
