import type { HoldsPeople } from '@tributary/domain/customers';

export const holdsPeople: HoldsPeople = {
  postgres: {
    handoffs: { erasure: 'not a customer', words: 'A link for somebody of the business, and what became of it.' },
    pending_selections: { erasure: 'not a customer', words: 'Accounts of the business, one of which is to be chosen.' },
  },
};
