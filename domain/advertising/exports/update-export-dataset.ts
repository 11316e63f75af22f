import type { Routes } from '@tributary/contract';
import { withAccount } from '@tributary/domain/advertising/connections';
import { findPrivacyMode } from '@tributary/domain/tenancy/tenants';
import { answer, type Handles, refuse } from '@tributary/operations';
import { requireConsent } from './consent.ts';
import type { ExportServices } from './services.ts';
import { findTarget, listTargets, type TargetRow, updateTarget } from './store.ts';
import { toTargetResponse } from './target-response.ts';

/** Switches exports to the clean dataset or back. The platform is queried before anything changes here. */
export const updateExportDataset: Handles<Routes['updateExportDataset'], ExportServices> = async (
  { body },
  context,
) => {
  const { caller, ledger, effect, now, addToAudit } = context;
  const { profileId } = caller;
  const { mode, targets } = await ledger.transaction(
    async (tx) => ({ mode: await findPrivacyMode(tx, profileId), targets: await listTargets(tx, profileId) }),
    { readOnly: true },
  );
  if (mode !== 'platform_safe')
    refuse('platform_safe_required', 'Only a profile whose privacy mode is platform_safe has a clean dataset.');
  const target = selectTarget(targets, body.connection_id);
  const dataset = body.dataset ?? target.clean_dataset;
  const toClean = body.target === 'clean';
  if (toClean && !dataset)
    refuse('validation_error', 'The field "dataset" is required the first time.', { fields: { field: 'dataset' } });
  const isSwap = toClean && body.mode === 'duplicate_and_swap';
  if (isSwap) {
    // Checked before consent, so that no member consents to an operation that is not possible.
    await withAccount(
      context,
      target.connection_id,
      async ({ provider }) => provider.export?.swapDataset ?? refuseUnsupported(),
    );
    requireConsent(body.consent, now);
  }
  const needsPlatform = isSwap || (!toClean && target.uses_clean && target.clean_dataset !== null);
  const liveAdSets = needsPlatform
    ? await withAccount(context, target.connection_id, async ({ provider, account }, call) => {
        if (isSwap) {
          await (provider.export?.swapDataset?.(account, target.dataset, dataset ?? '', call) ?? refuseUnsupported());
          return null;
        }
        return provider.export?.liveAdSets?.(account, target.clean_dataset ?? '', call) ?? refuseUnsupported();
      })
    : null;
  if (!toClean && liveAdSets && !body.confirm_live_ad_sets)
    refuse(
      'clean_dataset_has_live_ad_sets',
      `${liveAdSets} ad sets deliver on the clean dataset. Pause or move them, or confirm.`,
    );
  return effect(async (tx) => {
    const isSame = target.uses_clean === toClean && (!toClean || target.clean_dataset === dataset);
    await updateTarget(tx, target, {
      uses_clean: toClean,
      ...(toClean && { clean_dataset: dataset }),
      updated_at: now,
    });
    const after = (await findTarget(tx, profileId, target.id)) ?? target;
    const { accepted_by, accepted_at } = body.consent ?? {};
    addToAudit({
      detail: {
        export_id: target.id,
        target: body.target,
        mode: body.mode,
        ...(isSwap && { accepted_by: accepted_by ?? null, accepted_at: accepted_at ?? null }),
      },
    });
    return answer(200, {
      data: {
        outcome: isSame && !isSwap ? ('no_change' as const) : ('applied' as const),
        export: toTargetResponse(after),
        live_ad_sets: liveAdSets,
      },
    });
  });
};

function selectTarget(targets: readonly TargetRow[], connectionId: string | undefined): TargetRow {
  const found = connectionId ? targets.filter((one) => one.connection_id === connectionId) : targets;
  const [only, ...others] = found;
  if (!only) return refuse('not_found', 'The catalog of this profile names no such export.');
  if (others.length > 0)
    return refuse('validation_error', 'The field "connection_id" is required where several are told.', {
      fields: { field: 'connection_id' },
    });
  return only;
}

const refuseUnsupported = (): never => refuse('not_implemented', 'This platform offers no way to do it from here.');
