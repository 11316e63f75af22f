import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Value = string | number | { readonly [key: string]: Value };

/** Encodes a value for a MaxMind file: type and length in one byte, then the value. All values here are short. */
function encode(value: Value): Buffer {
  if (typeof value === 'string') return Buffer.from([(2 << 5) | value.length, ...Buffer.from(value)]);
  if (typeof value === 'number') return Buffer.from([(5 << 5) | 1, value]);
  const entries = Object.entries(value);
  return Buffer.concat([Buffer.from([(7 << 5) | entries.length]), ...entries.flat().map(encode)]);
}

/** A location file with cities, in which every address is at the same place. */
export async function openPlaceFile(place: {
  readonly country_code: string;
  readonly city: string;
}): Promise<{ readonly path: string; remove(): Promise<void> }> {
  // A single node, both of whose branches point to the first record behind the gap of 16 bytes.
  const tree = Buffer.from([0, 0, 17, 0, 0, 17]);
  const about = { node_count: 1, record_size: 24, ip_version: 4, binary_format_major_version: 2 };
  const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
  const folder = await mkdtemp(join(tmpdir(), 'places-'));
  const path = join(folder, 'places.mmdb');
  await writeFile(path, Buffer.concat([tree, Buffer.alloc(16), encode(place), marker, encode(about)]));
  return { path, remove: () => rm(folder, { recursive: true }) };
}
