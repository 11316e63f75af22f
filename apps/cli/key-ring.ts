import { type Tombstones, tombstonesUnder } from '@tributary/domain/customers';
import type { Postgres } from '@tributary/postgres';
import { KeyRing, loadKeys } from '@tributary/vault';
import { masterVault } from './commands/keys.ts';

/** The service's own keys, as they are now. */
export async function openKeyRing(app: Postgres): Promise<KeyRing> {
  const ring = new KeyRing(masterVault(), () => loadKeys(app.unbound));
  await ring.refresh();
  return ring;
}

export async function openTombstones(app: Postgres): Promise<Tombstones> {
  const ring = await openKeyRing(app);
  return tombstonesUnder(() => ring.eldest('tombstone').bytes);
}
