import type { PersonalData } from '@tributary/domain/commerce/customers';

/** Leftover staging data is dropped whole; an earlier batch is never resumed. */
const leftover = { id: 'person_id', erasure: 'deleted', words: 'What batches left behind.' } as const;

export const personalData: PersonalData = {
  clickhouse: {
    attributed_conversions: {
      id: 'person_id',
      erasure: 'renamed',
      words: 'The person’s id becomes that of the customer without a person.',
    },
    attribution_history: { id: 'person_id', erasure: 'renamed', words: 'The same in earlier versions.' },
    attribution_results: leftover,
    attribution_conversions: leftover,
    attribution_links: leftover,
    attribution_touches: leftover,
  },
};
