import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import type { TrackingServices } from '../services.ts';
import { listDomains } from '../store.ts';
import { toDomainResponse } from './tracking-domain.ts';

export const listTrackingDomains: Handles<
  Routes['listTrackingDomains'],
  Pick<TrackingServices, 'collectorUrl'>
> = async (_input, { ledger, caller, collectorUrl }) => {
  const domains = await ledger.transaction((tx) => listDomains(tx, caller.profileId), { readOnly: true });
  return answer(200, { data: domains.map((row) => toDomainResponse(row, collectorUrl)) });
};
