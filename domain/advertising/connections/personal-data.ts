import type { PersonalData } from '@tributary/domain/commerce/customers';
import {
  type DeadLetterStores,
  eraseWebhookDeadLetters,
  readWebhookDeadLetters,
} from './provider-webhooks/dead-letters.ts';

export const personalData: PersonalData<unknown, DeadLetterStores> = {
  forget: async (profileId, stores, findNaming, signal) => ({
    webhook_letters: await eraseWebhookDeadLetters(profileId, stores, findNaming, signal),
  }),
  opened: {
    'dead letters of webhooks, opened': (profileId, stores) => readWebhookDeadLetters(profileId, stores),
  },
};
