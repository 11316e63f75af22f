import type { PersonalData } from '@tributary/domain/commerce/customers';

export const personalData: PersonalData = {
  postgres: {
    erasures: { erasure: 'sealed', words: 'The key on the receipt, under the vault’s key.' },
    erasure_work: { erasure: 'deleted', words: 'Ids, until the erasure is done.' },
  },
};
