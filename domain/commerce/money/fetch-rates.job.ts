import type { Postgres } from '@tributary/postgres';
import { type Quote, readBcchRates, readEcbRates } from '@tributary/rules';
import { saveRates } from './exchange-rates.ts';

/** The URL of each bank's rates. Banks without a URL are skipped. */
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
  /** Converts outcomes that waited for a rate. Injected, because outcomes belong to a module that depends on this one. */
  price(signal: AbortSignal): Promise<unknown>;
}

/** Fetches the rates of every bank. A failing bank does not stop the others, but makes the job fail at the end. */
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
