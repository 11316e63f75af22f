import { fileURLToPath } from 'node:url';
import { open, type Response } from 'maxmind';

export interface Location {
  readonly country: string;
  /** ISO 3166-2, if the file has it. */
  readonly region: string;
  readonly city: string;
}

const unknownLocation: Location = { country: 'ZZ', region: '', city: '' };
const bundled = () =>
  fileURLToPath(import.meta.resolve('@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb'));

/** Resolves addresses to locations with a file in memory: no address is sent anywhere. */
export async function openPlaces(file: string | undefined): Promise<(address: string) => Location> {
  const reader = await open<Response>(file ?? bundled(), {
    cache: { max: 10_000 },
  });
  return (address) => {
    try {
      return readPlace(reader.get(address.startsWith('::ffff:') ? address.slice(7) : address));
    } catch {
      // The file cannot contain this address.
      return unknownLocation;
    }
  };
}

/** File formats differ: MaxMind's own nest fields that others write flat. */
interface LocationRecord {
  readonly country?: { readonly iso_code?: string };
  readonly country_code?: string;
  readonly subdivisions?: readonly { readonly iso_code?: string }[];
  readonly city?: string | { readonly names?: { readonly en?: string } };
}

function readPlace(record: unknown): Location {
  if (!record) return unknownLocation;
  const { country, country_code, subdivisions, city } = record as LocationRecord;
  const code = country?.iso_code ?? country_code ?? '';
  const region = `${code}-${subdivisions?.[0]?.iso_code}`;
  return {
    country: /^[A-Z]{2}$/.test(code) ? code : 'ZZ',
    region: /^[A-Z]{2}-[A-Z0-9]{1,3}$/.test(region) ? region : '',
    city: (typeof city === 'string' ? city : city?.names?.en) ?? '',
  };
}
