import type { Routes } from '@tributary/contract';
import { withAccount } from '@tributary/domain/connections';
import { findPrivacyMode } from '@tributary/domain/tenants';
import { answer, type Handles, refuse } from '@tributary/operations';
import { requireConsent } from './consent.ts';
import type { ExportServices } from './services.ts';
import { showTarget } from './show-target.ts';
import { findTarget, listTargets, type TargetRow, updateTarget } from './store.ts';

/** Lets exports go to the clean dataset, or back. The platform is asked before anything is changed here. */
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
  const target = chosen(targets, body.connection_id);
  const dataset = body.dataset ?? target.clean_dataset;
  const toClean = body.target === 'clean';
  if (toClean && !dataset)
    refuse('validation_error', 'The field "dataset" is required the first time.', { fields: { field: 'dataset' } });
  const isSwap = toClean && body.mode === 'duplicate_and_swap';
  if (isSwap) {
    // Before consent: a person must not agree to what cannot be done.
    await withAccount(context, target.connection_id, async ({ provider }) => provider.export?.swapDataset ?? cannot());
    requireConsent(body.consent, now);
  }
  const mustAsk = isSwap || (!toClean && target.uses_clean && target.clean_dataset !== null);
  const liveAdSets = mustAsk
    ? await withAccount(context, target.connection_id, async ({ provider, account }, call) => {
        if (isSwap) {
          await (provider.export?.swapDataset?.(account, target.dataset, dataset ?? '', call) ?? cannot());
          return null;
        }
        return provider.export?.liveAdSets?.(account, target.clean_dataset ?? '', call) ?? cannot();
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
        export: showTarget(after),
        live_ad_sets: liveAdSets,
      },
    });
  });
};

function chosen(targets: readonly TargetRow[], connectionId: string | undefined): TargetRow {
  const found = connectionId ? targets.filter((one) => one.connection_id === connectionId) : targets;
  const [only, ...others] = found;
  if (!only) return refuse('not_found', 'The catalog of this profile names no such export.');
  if (others.length > 0)
    return refuse('validation_error', 'The field "connection_id" is required where several are told.', {
      fields: { field: 'connection_id' },
    });
  return only;
}

const cannot = (): never => refuse('not_implemented', 'This platform offers no way to do it from here.');
