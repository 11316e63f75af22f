import type { PersonTables } from '@tributary/postgres';

export const personalData: { readonly postgres: PersonTables } = {
  postgres: { key_ring: { erasure: 'not a customer', words: 'The service’s own keys.' } },
};
