import type { Routes } from '@tributary/contract';
import { readDefinitions } from '@tributary/domain/commerce/definitions';
import { answer, type Handles } from '@tributary/operations';
import { definitionFinder } from '@tributary/rules';
import { dayMs, limits } from '@tributary/vocabulary';
import { readReceivedEvents } from './received-store.ts';

const { days, most } = limits.receivedEvents;

export const listReceivedEvents: Handles<Routes['listReceivedEvents']> = async (_input, { caller, ledger, now }) => {
  const { profileId } = caller;
  const since = new Date(+now - days * dayMs);
  const { received, definitions } = await ledger.transaction(
    async (tx) => ({
      received: await readReceivedEvents(tx, profileId, since),
      definitions: await readDefinitions(tx, profileId),
    }),
    { readOnly: true },
  );
  const find = definitionFinder(definitions);
  const shown = received
    .toSorted((a, b) => b.count - a.count)
    .slice(0, most)
    .map(({ eventName, eventType, count, lastAt }) => ({
      event_name: eventName,
      count,
      last_occurred_at: lastAt.toISOString(),
      definition_id: find({ eventName, eventType })?.id ?? null,
    }));
  return answer(200, { data: shown, meta: { days } });
};
