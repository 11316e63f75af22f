import type { PersonalDataTables } from '@tributary/postgres';

export const personalData: { readonly postgres: PersonalDataTables } = {
  postgres: {
    pii_access_log: { erasure: 'not a customer', words: 'How many people were read, and by whom.' },
  },
};
