import type { HoldsPeople } from '@tributary/domain/customers';

/** What batches left behind goes as a whole; nobody finishes a batch of before. */
const leftBehind = { id: 'person_id', erasure: 'deleted', words: 'What batches left behind.' } as const;

export const holdsPeople: HoldsPeople = {
  clickhouse: {
    attributed_conversions: {
      id: 'person_id',
      erasure: 'renamed',
      words: 'The person’s id becomes that of the customer without a person.',
    },
    attribution_history: { id: 'person_id', erasure: 'renamed', words: 'The same in earlier versions.' },
    attribution_results: leftBehind,
    attribution_conversions: leftBehind,
    attribution_links: leftBehind,
    attribution_touches: leftBehind,
  },
};
