import type { Vault } from '@tributary/vault';
import type { Erasure } from './store.ts';

/** A receipt as it is answered. It never says our id of the customer. */
export const showReceipt = (profileId: string, erasure: Erasure, vault: Vault) => ({
  erasure_id: erasure.id,
  request_ref: erasure.requestRef,
  status: erasure.status,
  customer_key: erasure.customerKey && vault.open(erasure.customerKey, placeOfKey(profileId, erasure.id)),
  reason: erasure.reason,
  requested_at: erasure.requestedAt.toISOString(),
  completed_at: erasure.completedAt?.toISOString() ?? null,
});

export const placeOfKey = (profileId: string, erasureId: string) => ({
  table: 'erasures',
  column: 'customer_key',
  row: erasureId,
  profileId,
});
