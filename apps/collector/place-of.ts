import { fileURLToPath } from 'node:url';
import { open, type Response } from 'maxmind';

export interface Place {
  readonly country: string;
  /** ISO 3166-2, where the file knows it. */
  readonly region: string;
  readonly city: string;
}

const nowhere: Place = { country: 'ZZ', region: '', city: '' };
const bundled = () =>
  fileURLToPath(import.meta.resolve('@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb'));

/** Where an address is, by a file in memory: nobody is asked, and the address goes nowhere. */
export async function openPlaces(file: string | undefined): Promise<(address: string) => Place> {
  const reader = await open<Response>(file ?? bundled(), {
    cache: { max: 10_000 },
  });
  return (address) => {
    try {
      return readPlace(reader.get(address.startsWith('::ffff:') ? address.slice(7) : address));
    } catch {
      // Not an address that the file could know.
      return nowhere;
    }
  };
}

/** Files differ: MaxMind's own nest what others write flat. */
interface Found {
  readonly country?: { readonly iso_code?: string };
  readonly country_code?: string;
  readonly subdivisions?: readonly { readonly iso_code?: string }[];
  readonly city?: string | { readonly names?: { readonly en?: string } };
}

function readPlace(found: unknown): Place {
  if (!found) return nowhere;
  const { country, country_code, subdivisions, city } = found as Found;
  const code = country?.iso_code ?? country_code ?? '';
  const region = `${code}-${subdivisions?.[0]?.iso_code}`;
  return {
    country: /^[A-Z]{2}$/.test(code) ? code : 'ZZ',
    region: /^[A-Z]{2}-[A-Z0-9]{1,3}$/.test(region) ? region : '',
    city: (typeof city === 'string' ? city : city?.names?.en) ?? '',
  };
}
