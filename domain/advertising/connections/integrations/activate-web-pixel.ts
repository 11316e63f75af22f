import type { Routes } from '@tributary/contract';
import { readInstallation } from '@tributary/domain/traffic/tracking';
import { answer, type Handles, refuse } from '@tributary/operations';
import type { ConnectionServices } from '../services.ts';
import { findConnected } from '../store.ts';
import { refuseUnusable, withAccount } from '../with-account.ts';

type PixelServices = ConnectionServices & { readonly baseUrl: string; readonly collectorUrl: string };

export const activateWebPixel: Handles<Routes['activateWebPixel'], PixelServices> = async ({ body }, context) => {
  const { ledger, caller, collectorUrl } = context;
  const { key, origin } = await readInstallation(context, collectorUrl);
  const options = { readOnly: true } as const;
  const named = body.connection_id;
  const id = named ?? (await ledger.transaction((tx) => findConnected(tx, caller.profileId, 'store'), options))?.id;
  if (id === undefined) {
    return refuse('invalid_state', 'The profile has no store.', { fields: { reason: 'no_store' } });
  }
  const pixel = await withAccount(context, id, async ({ provider, account }, call) => {
    if (provider.facts.channel !== 'store') return refuse('not_found', 'There is no such connection.');
    const settings = { accountID: key, collector: origin };
    return provider.installPixel?.(account, settings, call) ?? refuseUnusable(context, 'provider_not_configured');
  });
  return context.effect(async () => answer(200, { data: { connection_id: id, pixel_id: pixel.id } }));
};
