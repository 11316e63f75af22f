import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import type { TrackingServices } from '../services.ts';
import { findDomain, saveVerdict } from '../store.ts';
import { buildProof, decideDomain } from './domain-verdict.ts';
import { lookUpDomain } from './look-up-domain.ts';
import { toDomainResponse } from './tracking-domain.ts';

export const verifyTrackingDomain: Handles<
  Routes['verifyTrackingDomain'],
  Pick<TrackingServices, 'collectorUrl' | 'openDns'>
> = async ({ params }, { caller, ledger, effect, now, collectorUrl, openDns, addToAudit }) => {
  const profileId = caller.profileId;
  const row = await ledger.transaction((tx) => findDomain(tx, profileId, params.id), { readOnly: true });
  if (!row) return refuseUnknown();
  const proof = buildProof(row, collectorUrl);
  const verdict = decideDomain(proof, await lookUpDomain(proof, openDns), row.status === 'verified');
  return effect(async (tx) => {
    const saved = await saveVerdict(tx, profileId, row.id, verdict, now);
    // The domain was removed during the lookup.
    if (!saved) return refuseUnknown();
    addToAudit({ detail: { domain: saved.domain, status: saved.status } });
    return answer(200, { data: toDomainResponse(saved, collectorUrl) });
  });
};

const refuseUnknown = () => refuse('not_found', 'There is no such domain.');
