import type { Context } from '@tributary/operations';
import type { Vault } from '@tributary/vault';
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
    key: erasure.customerKey && vault.open(erasure.customerKey, placeOfKey(profileId, erasure.id)),
    said,
  }),
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
