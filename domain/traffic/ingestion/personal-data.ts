import type { PersonalData } from '@tributary/domain/commerce/customers';
import type { Stream } from '@tributary/stream';
import { clearedVisit } from './cleared-visit.ts';
import { openDeadLetters } from './delete-dead-letters.ts';
import { eraseLinks } from './erase.ts';
import { eraseBadVisits, type Opening, openBadVisits } from './erase-invalid-visits.ts';

interface Services {
  readonly opening: Opening;
  readonly stream: Pick<Stream, 'deadLetters'>;
}

export const personalData: PersonalData<unknown, Services> = {
  postgres: {
    visitor_links: { erasure: 'renamed', words: 'Browsers go to the customer without a person.' },
    bad_visits: { erasure: 'deleted', words: 'Those of the browsers and those that name the person.' },
  },
  clickhouse: {
    visits: {
      id: 'visitor_id',
      erasure: 'cleared',
      columns: clearedVisit,
      words: 'Time, channel, ad, country, region and kind stay.',
    },
    touches: {
      id: 'visitor_id',
      erasure: 'kept',
      words: 'The browser’s id leads to the customer without a person; repeats are told by the session’s.',
    },
  },
  erase: eraseLinks,
  forget: async (profileId, { opening }, _findNaming, signal) => ({
    bad_visits: await eraseBadVisits(opening, profileId, signal),
  }),
  opened: {
    'postgres bad_visits, opened': (profileId, { opening }) => openBadVisits(opening, profileId),
    'dead letters, opened': readDeadLetters,
  },
};

async function* readDeadLetters(profileId: string, { opening, stream }: Services): AsyncIterable<unknown> {
  for await (const { requests } of openDeadLetters(opening, stream))
    yield requests.filter(({ arrival }) => arrival.profile_id === profileId).map(({ content }) => content);
}
