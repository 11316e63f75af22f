import type { HoldsPeople } from '@tributary/domain/customers';

export const holdsPeople: HoldsPeople = {
  postgres: {
    tracking_verifications: { erasure: 'not a customer', words: 'The page on which the tracker is looked for.' },
  },
};
