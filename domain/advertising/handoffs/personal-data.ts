import type { PersonalData } from '@tributary/domain/commerce/customers';

export const personalData: PersonalData = {
  postgres: {
    handoffs: { erasure: 'not a customer', words: 'A link for somebody of the business, and what became of it.' },
    pending_selections: { erasure: 'not a customer', words: 'Accounts of the business, one of which is to be chosen.' },
  },
};
