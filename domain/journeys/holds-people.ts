import type { HoldsPeople } from '@tributary/domain/customers';
import { eraseJourneys } from './store.ts';

export const holdsPeople: HoldsPeople = {
  postgres: {
    journey_summaries: {
      erasure: 'deleted',
      words: 'What a model wrote of the person, or of one of their browsers.',
    },
  },
  erase: async (tx, { profileId, customerIds, visitorIds }) => ({
    journey_summaries: await eraseJourneys(tx, profileId, [...customerIds, ...visitorIds]),
  }),
};
