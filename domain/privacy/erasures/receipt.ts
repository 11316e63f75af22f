import type { Context } from '@tributary/operations';
import { type SealedColumn, tryOpen, type Vault } from '@tributary/vault';
import type { Erasure } from './store.ts';

/** A receipt as the API returns it: without our customer id, and with the customer's key only for callers who may see it. */
export const toReceiptResponse = (
  profileId: string,
  erasure: Erasure,
  { vault, showKey }: Pick<Context, 'showKey'> & { readonly vault: Vault },
  { of = erasure.id, said }: { readonly of?: string; readonly said?: string | undefined } = {},
) => ({
  erasure_id: erasure.id,
  request_ref: erasure.requestRef,
  status: erasure.status,
  customer_key: showKey({
    of,
    profileId,
    key: openKey(profileId, erasure, vault),
    said,
  }),
  reason: erasure.reason,
  requested_at: erasure.requestedAt.toISOString(),
  completed_at: erasure.completedAt?.toISOString() ?? null,
});

/** Null if the key cannot be decrypted; the receipt stays readable. */
function openKey(profileId: string, { id, customerKey }: Erasure, vault: Vault): string | null {
  return (customerKey && tryOpen(() => vault.open(customerKey, placeOfKey(profileId, id)))) ?? null;
}

export const placeOfKey = (profileId: string, erasureId: string) => ({
  table: 'erasures',
  column: 'customer_key',
  row: erasureId,
  profileId,
});

export const sealedReceipts: SealedColumn = {
  table: 'erasures',
  column: 'customer_key',
  key: ['profile_id', 'id'],
  place: (profileId, id) => placeOfKey(profileId, String(id)),
};
