import type { HoldsPeople } from '@tributary/domain/customers';

export const holdsPeople: HoldsPeople = {
  postgres: {
    export_targets: { erasure: 'not a customer', words: 'Datasets and accounts of the business.' },
  },
};
