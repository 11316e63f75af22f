import type { AnswerOf, Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { findPerson } from './person.ts';
import type { JourneyServices } from './services.ts';
import { findSummary, type StoredSummary } from './store.ts';

type Shown = AnswerOf<Routes['readJourneySummary']>['body']['data'];

/** Never calls the model, even when no summary is stored. */
export const readJourneySummary: Handles<Routes['readJourneySummary'], Pick<JourneyServices, 'vault'>> = async (
  { params },
  { ledger, caller, mentions, vault },
) => {
  const profileId = caller.profileId;
  const { person, stored } = await ledger.transaction(
    async (tx) => {
      const person = await findPerson(tx, profileId, params.id);
      return { person, stored: await findSummary(tx, vault, profileId, person.id) };
    },
    { readOnly: true },
  );
  if (stored) mentions(person.id);
  return answer(200, { data: stored ? toSummaryResponse(stored, true) : noSummary });
};

export const noSummary: Shown = {
  summary: null,
  cached: false,
  model: null,
  generated_at: null,
  events_used: 0,
  truncated: false,
};

export const toSummaryResponse = (summary: StoredSummary, cached: boolean): Shown => ({
  summary: summary.text,
  cached,
  model: summary.model,
  generated_at: summary.generatedAt.toISOString(),
  events_used: summary.eventsUsed,
  truncated: summary.isTruncated,
});
