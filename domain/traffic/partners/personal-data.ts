import type { PersonalData } from '@tributary/domain/commerce/customers';
import type { Postgres } from '@tributary/postgres';
import { eraseInAnswers, erasePartnerTouches } from './erase.ts';

export const personalData: PersonalData<unknown, { readonly app: Postgres }> = {
  postgres: {
    partner_touches: {
      erasure: 'cleared',
      words:
        'Time and source stay, of the customer without a person; what they wrote goes, also where others name them.',
    },
  },
  erase: erasePartnerTouches,
  forget: (profileId, { app }, findNaming, signal) => eraseInAnswers(app, profileId, findNaming, signal),
};
