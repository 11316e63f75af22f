import type { Household } from '@tributary/market';

/** ISO 3166-2 codes of the regions of each country's customers. */
const regionsOf: Readonly<Record<string, readonly string[]>> = {
  CL: ['RM', 'VS', 'BI', 'AR', 'MA', 'LL', 'CO', 'AN', 'LI', 'NB'],
  AR: ['B', 'C', 'X', 'S', 'M', 'T'],
  PE: ['LIM', 'ARE', 'LAL', 'CUS'],
  US: ['CA', 'FL', 'TX', 'NY'],
  ES: ['MD', 'CT', 'AN', 'VC'],
};

/** A household lives in one region; the first regions of a country are the largest. */
export function regionOf({ index, browsers }: Household): string {
  const country = browsers[0]?.country ?? 'CL';
  const regions = regionsOf[country] ?? ['1'];
  const drawn = ((Math.imul(index, 0x9e3779b1) >>> 0) / 2 ** 32) ** 1.4;
  return `${country}-${regions[Math.floor(drawn * regions.length)]}`;
}
