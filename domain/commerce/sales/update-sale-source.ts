import type { Routes } from '@tributary/contract';
import { lockSaleSource, rescanSources, saveSaleSource } from '@tributary/domain/commerce/outcomes';
import { findDays } from '@tributary/domain/tenancy/tenants';
import { answer, type Handles, refuse } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import type { SaleServices } from './services.ts';
import { formatExcludedFrom, toSourcesResponse } from './sources-response.ts';

/** Changes how the payments of a source count. The queue settles them again; their rows are kept. */
export const updateSaleSource: Handles<Routes['updateSaleSource'], SaleServices> = async (
  { params: { source }, body },
  context,
) => {
  const { caller, effect, now, addToAudit } = context;
  const { profileId } = caller;
  return effect(async (tx) => {
    const before = (await lockSaleSource(tx, profileId, source)) ?? refuseUnknown();
    const excludedFrom =
      body.excluded_from === undefined
        ? formatExcludedFrom(before)
        : await resolveExcludedFrom(tx, profileId, body.excluded_from);
    const decision = body.decision === undefined ? before.decision : body.decision;
    const was = { decision: before.decision, excluded_from: formatExcludedFrom(before) };
    const isChange = decision !== was.decision || excludedFrom !== was.excluded_from;
    if (isChange) {
      const decidedAt = decision === before.decision ? before.decidedAt : decision && now;
      await saveSaleSource(tx, profileId, source, { decision, decidedAt, excludedFrom });
      await rescanSources(tx, profileId, [source], 'counted');
      addToAudit({ detail: { decision, excluded_from: excludedFrom } });
    }
    const { sources } = await toSourcesResponse(tx, profileId, context);
    const shown = sources.find((one) => one.source === source) ?? refuseUnknown();
    const path = `/api/v1/sale-sources/${source}`;
    return answer(200, {
      data: {
        outcome: isChange ? 'applied' : 'no_change',
        source: shown,
        undo: isChange ? { method: 'PATCH', path, body: was } : null,
      },
    });
  });
};

/** A date means its start in the profile's time zone. */
async function resolveExcludedFrom(tx: Tx, profileId: string, from: string | null): Promise<string | null> {
  if (from === null || from === 'beginning') return from;
  if (from.length > 10) return new Date(from).toISOString();
  return (await findDays(tx, profileId, from, from)).from.toISOString();
}

const refuseUnknown = (): never => refuse('not_found', 'There is no such source in this profile.');
