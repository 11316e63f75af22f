import type { Routes } from '@tributary/contract';
import { answer, type Handles, type ProfileContext, refuse } from '@tributary/operations';
import { limits } from '@tributary/vocabulary';
import { readMasks } from './mask-journey.ts';
import { findPerson } from './person.ts';
import { readEvents } from './read-events.ts';
import { noSummary, toSummaryResponse } from './read-journey-summary.ts';
import type { JourneyServices } from './services.ts';
import { giveUnitBack, saveSummary, takeUnit } from './store.ts';
import { instructions, material, nextMidnight, plainText } from './summary.ts';
import { always } from './timeline.ts';

const { maxEvents } = limits.journeySummary;

/** No transaction is open while the model writes. A request that produces no summary costs nothing of the allowance. */
export const createJourneySummary: Handles<Routes['createJourneySummary'], JourneyServices> = async (
  { params },
  context,
) => {
  const { ledger, caller, now, mentions, vault, languageModel } = context;
  const profileId = caller.profileId;
  const { person, masks } = await ledger.transaction(
    async (tx) => {
      const found = await findPerson(tx, profileId, params.id);
      return { person: found, masks: await readMasks(tx, profileId, found) };
    },
    { readOnly: true },
  );
  const timelineQuery = { profileId, person, until: always, offset: 0, limit: maxEvents };
  const { events, total_count } = await readEvents(context, timelineQuery);
  if (events.length === 0) return answer(200, { data: noSummary });
  mentions(person.id);
  if (!languageModel) refuse('service_unavailable', 'No model is set up here that could write a summary.');
  return withUnit(context, async () => {
    const summary = {
      text: await write(material(events, masks), context),
      model: languageModel.name,
      generatedAt: now,
      eventsUsed: events.length,
      isTruncated: total_count > events.length,
    };
    return context.effect(async (tx) => {
      await saveSummary(tx, vault, profileId, person.id, summary);
      return answer(200, { data: toSummaryResponse(summary, false) });
    });
  });
};

async function withUnit<A>(
  { behind, caller, now, summariesPerDay }: ProfileContext & JourneyServices,
  work: () => Promise<A>,
): Promise<A> {
  const workspaceId = caller.workspaceId;
  const workspace = behind({ workspaceId });
  if (!(await workspace.transaction((tx) => takeUnit(tx, workspaceId, now, summariesPerDay)))) {
    const seconds = Math.ceil((nextMidnight(now).getTime() - now.getTime()) / 1_000);
    refuse(
      'rate_limit_exceeded',
      `The ${summariesPerDay} summaries of today are used up. The next UTC day brings new ones.`,
      {
        fields: { reason: 'daily_allowance' },
        headers: { 'retry-after': String(seconds) },
      },
    );
  }
  try {
    return await work();
  } catch (error) {
    await workspace.transaction((tx) => giveUnitBack(tx, workspaceId, now));
    throw error;
  }
}

async function write(eventLines: string, { languageModel, signal }: ProfileContext & JourneyServices): Promise<string> {
  const written = await languageModel
    ?.write({ instructions, material: eventLines, maxTokens: 400, signal })
    .catch((cause: unknown) => {
      signal.throwIfAborted();
      return refuse('service_unavailable', 'The model gave no answer. Try again in a while.', {
        internal: cause instanceof Error ? cause.message : String(cause),
      });
    });
  return (
    plainText(written ?? '') ?? refuse('service_unavailable', 'The model gave an empty answer. Try again in a while.')
  );
}
