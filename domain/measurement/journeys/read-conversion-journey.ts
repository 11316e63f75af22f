import type { Routes } from '@tributary/contract';
import { type Handles, refuse } from '@tributary/operations';
import { findPersonBehind } from './person.ts';
import { readProjected, readWholeOrProjected } from './read-whole-or-projected.ts';
import type { JourneyServices } from './services.ts';

export const readConversionJourney: Handles<
  Routes['readConversionJourney'],
  Pick<JourneyServices, 'clickhouse'>
> = async ({ params, query }, context) => {
  const profileId = context.caller.profileId;
  const found = await context.ledger.transaction((tx) => findPersonBehind(tx, profileId, params.id), {
    readOnly: true,
  });
  if (!found) refuse('conversion_not_found', 'No conversion of this profile goes by that handle.');
  const { person, outcome } = found;
  const { view, ...part } = query;
  const timelineQuery = { profileId, person, until: outcome.occurredAt, ...part };
  return view === 'projection'
    ? readProjected(context, timelineQuery, outcome)
    : readWholeOrProjected(context, timelineQuery, outcome);
};
