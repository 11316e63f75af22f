import type { Ledger, LookUps, Tx } from '@tributary/postgres';
import { type KeyPurpose, keyPurposes } from '@tributary/vocabulary';
import { indexOfCurrent, type LiveKey, makeKey, publicHalf, rewrapKey } from './key-ring.ts';
import type { PublicKey } from './sealed-box.ts';
import type { Vault } from './vault.ts';

/** The live keys of all purposes, newest first. */
export const loadKeys = (ledger: Ledger): Promise<LiveKey[]> => ledger.transaction(listKeys);

async function listKeys(tx: Tx): Promise<LiveKey[]> {
  const rows = await tx
    .selectFrom('key_ring')
    .select(['purpose', 'id', 'sealed', 'public_key', 'created_at'])
    .where('retired_at', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();
  return rows as LiveKey[];
}

/** The public halves of the live stream keys, newest first: the collector may read nothing else of the ring. */
export async function loadStreamKeys(lookUps: LookUps): Promise<PublicKey[]> {
  const rows = await lookUps.lookUp<{ id: string; public_key: Buffer }>(
    `SELECT id, public_key FROM key_ring
    WHERE purpose = 'stream' AND retired_at IS NULL AND public_key IS NOT NULL ORDER BY created_at DESC, id`,
  );
  return rows.map(({ id, public_key }) => ({ id, bytes: public_key }));
}

/** The keys that open secrets in PostgreSQL, newest first, for a process whose role may read no others. */
export const loadEnvelopeKeys = (lookUps: LookUps): Promise<LiveKey[]> =>
  lookUps.lookUp<LiveKey>('SELECT purpose, id, sealed, created_at FROM find_envelope_keys()');

/** Adds a key. Processes use it for new work once it has settled, and still open secrets of the older ones. */
export async function rotateKey(tx: Tx, master: Vault, purpose: KeyPurpose, now: Date): Promise<string> {
  const key = makeKey(master, purpose);
  await tx
    .insertInto('key_ring')
    .values({ ...key, created_at: now })
    .execute();
  return key.id;
}

/** Makes sure that every purpose has a key, and every stream key its public half. Part of each migration. */
export async function ensureKeys(owner: Ledger, master: Vault, now: Date): Promise<void> {
  await owner.transaction(async (tx) => {
    const keys = await listKeys(tx);
    const live = new Set(keys.map(({ purpose }) => purpose));
    for (const purpose of keyPurposes) if (!live.has(purpose)) await rotateKey(tx, master, purpose, now);
    for (const stored of keys) {
      if (stored.purpose !== 'stream' || stored.public_key) continue;
      await tx
        .updateTable('key_ring')
        .set({ public_key: publicHalf(master, stored) })
        .where('purpose', '=', stored.purpose)
        .where('id', '=', stored.id)
        .execute();
    }
  });
}

/** The live keys of one purpose, newest first. */
export const liveKeys = (tx: Tx, purpose: KeyPurpose): Promise<{ id: string; created_at: Date }[]> =>
  tx
    .selectFrom('key_ring')
    .select(['id', 'created_at'])
    .where('purpose', '=', purpose)
    .where('retired_at', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .forUpdate()
    .execute();

/**
 * Retires the keys of a purpose that are older than the one in use: their secrets can no longer be read. Resolves to the number of keys.
 */
export async function retireKeys(tx: Tx, purpose: KeyPurpose, now: Date): Promise<number> {
  const keys = await liveKeys(tx, purpose);
  const old = keys.slice(indexOfCurrent(keys, now) + 1).map(({ id }) => id);
  if (old.length > 0)
    await tx
      .updateTable('key_ring')
      .set({ retired_at: now })
      .where('purpose', '=', purpose)
      .where('id', 'in', old)
      .execute();
  return old.length;
}

/** Wraps the whole ring with the newest master key, so that the old one can be removed from the settings. */
export async function rewrapKeys(tx: Tx, master: Vault): Promise<number> {
  let count = 0;
  for (const stored of await listKeys(tx)) {
    const rewrapped = rewrapKey(master, stored);
    if (!rewrapped) continue;
    await tx
      .updateTable('key_ring')
      .set({ sealed: rewrapped.sealed })
      .where('purpose', '=', stored.purpose)
      .where('id', '=', stored.id)
      .execute();
    count += 1;
  }
  return count;
}
