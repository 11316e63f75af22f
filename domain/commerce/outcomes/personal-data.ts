import type { PersonalData } from '@tributary/domain/commerce/customers';
import type { Postgres } from '@tributary/postgres';
import { eraseOutcomes } from './erase.ts';
import { forgetMentions } from './erase-mentions.ts';

export const personalData: PersonalData<unknown, { readonly app: Postgres }> = {
  postgres: {
    outcomes: {
      erasure: 'cleared',
      words:
        'Money, time and name of the event stay, of the customer without a person; others’ texts that name them go.',
    },
    outcome_totals: { erasure: 'renamed', words: 'They follow the outcomes.' },
    dirty_customers: { erasure: 'renamed', words: 'Ids only.' },
  },
  erase: eraseOutcomes,
  forget: async (profileId, { app }, findNaming, signal) => ({
    outcomes_naming: await forgetMentions(app, profileId, findNaming, signal),
  }),
};
