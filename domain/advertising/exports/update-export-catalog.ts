import type { Input, Routes } from '@tributary/contract';
import { findConnection } from '@tributary/domain/advertising/connections';
import { tightenPrivacy } from '@tributary/domain/tenancy/tenants';
import { answer, type Handles, refuse } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import type { Providers } from '@tributary/providers';
import type { Channel } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { readCatalog } from './read-export-catalog.ts';
import type { ExportServices } from './services.ts';
import { deleteTargets, listTargets, saveTarget } from './store.ts';

type TargetInput = NonNullable<Input<Routes['updateExportCatalog']>['body']['exports']>[number];

/** Sets the exports of a profile and tightens its privacy mode. */
export const updateExportCatalog: Handles<Routes['updateExportCatalog'], ExportServices> = async (
  { body },
  { caller, now, effect, providers, addToAudit },
) =>
  effect(async (tx) => {
    const { profileId } = caller;
    const { privacy_mode, exports } = body;
    if (privacy_mode) await tightenPrivacy(tx, profileId, privacy_mode);
    if (exports) await replaceTargets(tx, profileId, exports, providers, now);
    addToAudit({ detail: { ...(privacy_mode && { privacy_mode }), ...(exports && { exports: exports.length }) } });
    return answer(200, { data: await readCatalog(tx, profileId) });
  });

async function replaceTargets(
  tx: Tx,
  profileId: string,
  inputs: readonly TargetInput[],
  providers: Providers,
  now: Date,
): Promise<void> {
  const before = new Map((await listTargets(tx, profileId)).map((row) => [row.connection_id, row]));
  for (const one of inputs) {
    const connection = await findConnection(tx, profileId, one.connection_id);
    if (!connection) refuse('not_found', 'There is no such connection in this profile.');
    // Refuses a platform that is not configured by the operator or accepts no conversions.
    if (!providers.of(connection.channel as Channel)?.export)
      refuse('invalid_state', 'The connection is not one of an ad platform that takes conversions.', {
        fields: { reason: 'not_an_ad_platform' },
      });
    await saveTarget(tx, {
      profile_id: profileId,
      id: before.get(one.connection_id)?.id ?? uuid(),
      connection_id: one.connection_id,
      dataset: one.dataset,
      messaging_account: one.messaging?.account_id ?? null,
      messaging_dataset: one.messaging?.dataset ?? null,
      events: JSON.stringify(one.events),
      every_minutes: one.every_minutes,
      is_enabled: one.is_enabled,
      created_at: now,
      updated_at: now,
    });
  }
  const requestedIds = new Set(inputs.map(({ connection_id }) => connection_id));
  await deleteTargets(
    tx,
    profileId,
    [...before.values()].filter((row) => !requestedIds.has(row.connection_id)).map(({ id }) => id),
  );
}
