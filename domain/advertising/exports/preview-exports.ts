import type { Routes } from '@tributary/contract';
import { withAccount } from '@tributary/domain/advertising/connections';
import { answer, type Handles, refuse } from '@tributary/operations';
import { moneyText } from '@tributary/rules';
import { limits } from '@tributary/vocabulary';
import { accountOf, composeAll } from './run-batch.ts';
import type { ExportServices } from './services.ts';
import { type ExportResult, listTargets, listWaiting } from './store.ts';

/** Returns what the next run would send. Of customers only the field names: their values go to the platform only. */
export const previewExports: Handles<Routes['previewExports'], ExportServices> = async ({ query }, context) => {
  const { caller, ledger, now } = context;
  const { profileId } = caller;
  const skipped: ExportResult[] = [];
  const { target, composed } = await ledger.transaction(
    async (tx) => {
      const found = (await listTargets(tx, profileId)).find((row) => row.connection_id === query.connection_id);
      if (!found) return refuse('not_found', 'The catalog of this profile names no such export.');
      const waiting = await listWaiting(tx, profileId, found.id, limits.exports.previewed);
      return { target: found, composed: (await composeAll(tx, profileId, found, waiting, skipped)).composed };
    },
    { readOnly: true },
  );
  return withAccount(context, target.connection_id, async ({ provider, account }) => {
    const flawOf = provider.export?.findFlaw;
    return answer(200, {
      data: composed.map(({ outcomeId, dataset, event }) => ({
        outcome_event_id: outcomeId,
        event_id: event.eventId,
        event_name: event.eventName,
        occurred_at: event.occurredAt.toISOString(),
        action_source: event.actionSource,
        dataset,
        value: event.value && event.currency ? moneyText(event.value, event.currency) : (event.value ?? null),
        currency: event.currency ?? null,
        click_ids: Object.keys(event.clickIds),
        person_fields: Object.keys(event.person ?? {}),
        refused_because: flawOf?.(event, accountOf(account, target), now) ?? null,
      })),
    });
  });
};
