import type { HoldsPeople } from '@tributary/domain/customers';
import { eraseOutcomes } from './erase.ts';

export const holdsPeople: HoldsPeople = {
  postgres: {
    outcomes: {
      erasure: 'cleared',
      words: 'Money, time and name of the event stay, of the customer without a person.',
    },
    outcome_totals: { erasure: 'renamed', words: 'They follow the outcomes.' },
    dirty_customers: { erasure: 'renamed', words: 'Ids only.' },
  },
  erase: eraseOutcomes,
};
