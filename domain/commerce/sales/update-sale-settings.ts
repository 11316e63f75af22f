import type { Routes } from '@tributary/contract';
import { listSaleSources, rescanSources } from '@tributary/domain/commerce/outcomes';
import { answer, type Handles } from '@tributary/operations';
import { toSettingsResponse } from './sources-response.ts';
import { lockSaleSettings, readSaleSettings, saveSaleSettings } from './store.ts';

/**
 * Changes which record of a sale counts and how far apart two records may be. The queue then processes all payments
 * again.
 */
export const updateSaleSettings: Handles<Routes['updateSaleSettings']> = async ({ body }, context) => {
  const { caller, effect, addToAudit } = context;
  const { profileId } = caller;
  return effect(async (tx) => {
    await lockSaleSettings(tx, profileId);
    const before = await readSaleSettings(tx, profileId);
    const after = {
      preference: body.preference ?? before.preference,
      windowMinutes: body.window_minutes ?? before.windowMinutes,
    };
    const isReordered = after.preference.join() !== before.preference.join();
    const isMoved = after.windowMinutes !== before.windowMinutes;
    const settings = toSettingsResponse(after);
    if (!isReordered && !isMoved) return answer(200, { data: { outcome: 'no_change', settings, undo: null } });
    await saveSaleSettings(tx, profileId, after);
    const sources = (await listSaleSources(tx, profileId)).map(({ source }) => source);
    if (sources.length > 1) await rescanSources(tx, profileId, sources, isMoved ? 'matches' : 'counted');
    addToAudit({ detail: { preference: settings.preference, window_minutes: settings.window_minutes } });
    const undo = { method: 'PATCH', path: '/api/v1/sale-settings', body: toSettingsResponse(before) };
    return answer(200, { data: { outcome: 'applied', settings, undo } });
  });
};
