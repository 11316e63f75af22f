import type { HoldsPeople } from '@tributary/domain/customers';
import { forgetWebhookLetters, type LetterStores, openWebhookLetters } from './provider-webhooks/letters.ts';

export const holdsPeople: HoldsPeople<unknown, LetterStores> = {
  forget: async (profileId, stores, findNaming, signal) => ({
    webhook_letters: await forgetWebhookLetters(profileId, stores, findNaming, signal),
  }),
  opened: {
    'dead letters of webhooks, opened': (profileId, stores) => openWebhookLetters(profileId, stores),
  },
};
