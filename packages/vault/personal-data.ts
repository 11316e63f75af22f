import type { PersonalDataTables } from '@tributary/postgres';

export const personalData: { readonly postgres: PersonalDataTables } = {
  postgres: { key_ring: { erasure: 'not a customer', words: 'The service’s own keys.' } },
};
