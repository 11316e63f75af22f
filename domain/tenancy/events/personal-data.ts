import type { PersonalDataTables } from '@tributary/postgres';

const words = 'Events are announced without people.';

export const personalData: { readonly postgres: PersonalDataTables } = {
  postgres: { outbox: { erasure: 'nobody', words }, event_log: { erasure: 'nobody', words } },
};
