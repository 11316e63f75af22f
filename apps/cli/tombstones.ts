import { type Tombstones, tombstonesUnder } from '@tributary/domain/commerce/customers/module.ts';
import type { Platform } from '@tributary/platform';
import type { Postgres } from '@tributary/postgres';

export async function openTombstones(platform: Platform, app: Postgres): Promise<Tombstones> {
  const ring = await platform.keys(app);
  return tombstonesUnder(() => ring.eldest('tombstone').bytes);
}
