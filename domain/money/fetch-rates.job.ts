import type { Postgres } from '@tributary/postgres';
import { type Quote, readBcchRates, readEcbRates } from '@tributary/rules';
import { saveRates } from './exchange-rates.ts';

/** Where each bank publishes its rates; one that has no address is not asked. */
export interface RateSources {
  readonly ecb?: string | undefined;
  readonly bcch?: string | undefined;
}

const readers = { ecb: readEcbRates, bcch: readBcchRates } as const satisfies Record<
  keyof RateSources,
  (text: string) => Quote[]
>;

export interface RateServices {
  readonly system: Postgres;
  get(url: string, signal: AbortSignal): Promise<string>;
  /** Converts what waited for a rate. Outcomes are the business of a room above this one, so whoever wires the job hands it in. */
  price(signal: AbortSignal): Promise<unknown>;
}

/** Asks every bank; one that fails does not keep the others from being heard, and the job from failing in the end. */
export async function fetchRates(
  { system, get, price }: RateServices,
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
  await price(signal);
  if (failures.length > 0) throw new AggregateError(failures, 'Not every source of exchange rates could be read.');
}
