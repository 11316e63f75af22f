import type { PersonalData } from '@tributary/domain/commerce/customers';

export const personalData: PersonalData = {
  postgres: {
    tracking_verifications: { erasure: 'not a customer', words: 'The page on which the tracker is looked for.' },
  },
};
