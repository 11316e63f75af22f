import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { findPerson } from './person.ts';
import { readEvents } from './read-events.ts';
import type { JourneyServices } from './services.ts';
import { always } from './timeline.ts';

/** An id of another profile has an empty journey, like an unknown id. */
export const readCustomerJourney: Handles<Routes['readCustomerJourney'], Pick<JourneyServices, 'clickhouse'>> = async (
  { params, query },
  context,
) => {
  const { ledger, caller, mentions } = context;
  const profileId = caller.profileId;
  const person = await ledger.transaction((tx) => findPerson(tx, profileId, params.id), { readOnly: true });
  const data = await readEvents(context, { profileId, person, until: always, ...query });
  if (data.total_count > 0) mentions(person.id);
  return answer(200, { data });
};
