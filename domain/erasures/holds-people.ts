import type { HoldsPeople } from '@tributary/domain/customers';

export const holdsPeople: HoldsPeople = {
  postgres: {
    erasures: { erasure: 'sealed', words: 'The key on the receipt, under the vault’s key.' },
    erasure_work: { erasure: 'deleted', words: 'Ids, until the erasure is done.' },
  },
};
