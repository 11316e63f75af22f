import type { Context } from '@tributary/operations';
import { type SealedColumn, tryOpen, type Vault } from '@tributary/vault';
import type { Erasure } from './store.ts';

/** A receipt as it is answered. It never says our id of the customer, and their key to whoever may see it. */
export const showReceipt = (
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
    key: keyOn(profileId, erasure, vault),
    said,
  }),
  reason: erasure.reason,
  requested_at: erasure.requestedAt.toISOString(),
  completed_at: erasure.completedAt?.toISOString() ?? null,
});

/** A receipt is still one when no key opens what it says of its customer. */
function keyOn(profileId: string, { id, customerKey }: Erasure, vault: Vault): string | null {
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
