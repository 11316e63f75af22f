import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import type { ConnectionServices } from '../services.ts';
import { refuseUnusable } from '../with-account.ts';
import { withProvider } from './with-provider.ts';

export const startBankLink: Handles<Routes['startBankLink'], ConnectionServices & { baseUrl: string }> = async (
  { body },
  context,
) => {
  const options = { country: body.country, holderType: body.holder_type };
  const started = await withProvider(
    context,
    'bank_link',
    async ({ link }, call) => link?.start?.(options, call) ?? refuseUnusable(context, 'provider_not_configured'),
  );
  return context.effect(async () =>
    answer(200, {
      data: { widget_token: started.widgetToken, public_key: started.publicKey, expires_at: started.expiresAt },
      meta: {},
    }),
  );
};
