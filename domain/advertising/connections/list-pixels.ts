import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { type Channel, channels } from '@tributary/vocabulary';
import { noSuchConnection } from './read-connection.ts';
import type { ConnectionServices } from './services.ts';
import { findConnection } from './store.ts';
import { withAccount } from './with-account.ts';

export const listPixels: Handles<Routes['listPixels'], ConnectionServices & { readonly baseUrl: string }> = async (
  { params: { id } },
  context,
) => {
  const { ledger, caller } = context;
  const found = await ledger.transaction((tx) => findConnection(tx, caller.profileId, id), { readOnly: true });
  if (!found) return noSuchConnection();
  if (channels[found.channel as Channel].kind !== 'ads')
    return refuse('invalid_state', 'Only the connection of an ad account has pixels.', {
      fields: { reason: 'not_an_ad_account' },
    });
  const pixels = await withAccount(context, id, async ({ provider, account }, call) =>
    provider.pixels?.(account, call),
  );
  if (!pixels) return refuse('not_implemented', 'This provider does not tell its pixels.');
  return answer(200, {
    data: {
      pixels: pixels.map((pixel) => ({
        id: pixel.id,
        name: pixel.name,
        created_at: pixel.createdAt,
        last_fired_at: pixel.lastFiredAt,
        is_unavailable: pixel.isUnavailable,
        owner_business: pixel.ownerBusiness,
      })),
    },
  });
};
