import { refuse } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import type { Vault } from '@tributary/vault';
import type { ConnectionStatus } from '@tributary/vocabulary';
import { openSecrets, sealCredentials } from '../credentials.ts';
import { type ConnectionRow, lockConnection } from '../store.ts';

/** The secrets that a merchant entered. */
export interface StoreSecrets {
  readonly webhookSecret: string | null;
  readonly accessToken: string | null;
}

export const readSecrets = (vault: Vault, { profile_id: profileId, id, credentials }: ConnectionRow): StoreSecrets =>
  credentials
    ? (JSON.parse(openSecrets(vault, { profileId, id }, credentials)) as StoreSecrets)
    : { webhookSecret: null, accessToken: null };

export const sealSecrets = (vault: Vault, profileId: string, id: string, secrets: StoreSecrets): Buffer =>
  sealCredentials(vault, { profileId, id }, secrets);

/** Locks a store; a removed store is refused as unknown. */
export async function lockStore(tx: Tx, profileId: string, id: string): Promise<ConnectionRow> {
  const row = await lockConnection(tx, profileId, id);
  const isActive = row?.channel === 'store' && row.status !== 'disconnected';
  return isActive ? row : refuse('not_found', 'There is no such connection.');
}

export function toStoreResponse(row: ConnectionRow, { webhookSecret, accessToken }: StoreSecrets) {
  return {
    id: row.id,
    status: row.status as ConnectionStatus,
    shop_domain: row.external_id,
    name: row.name,
    has_signing_id: webhookSecret !== null,
    has_access_token: accessToken !== null,
    connected_at: row.connected_at.toISOString(),
  };
}
