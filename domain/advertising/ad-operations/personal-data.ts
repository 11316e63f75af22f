import type { PersonalData } from '@tributary/domain/commerce/customers';

export const personalData: PersonalData = {
  postgres: {
    ad_actions: { erasure: 'not a customer', words: 'Members of the workspace who changed ads, and the ads.' },
    ad_action_entries: { erasure: 'nobody', words: 'How an ad stood, and what the platform answered.' },
  },
};
