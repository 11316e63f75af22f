import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import type { TrackingServices } from '../services.ts';
import { listDomains } from '../store.ts';
import { chooseOrigin } from './origin.ts';

export const readTrackingOrigin: Handles<Routes['readTrackingOrigin'], Pick<TrackingServices, 'collectorUrl'>> = async (
  _input,
  { ledger, caller, collectorUrl },
) => {
  const domains = await ledger.transaction((tx) => listDomains(tx, caller.profileId), { readOnly: true });
  const { kind, url, domainId } = chooseOrigin(domains, collectorUrl);
  return answer(200, {
    data: { kind, origin: url, domain_id: domainId, script_url: `${url}/t.js`, visits_url: `${url}/v1/visits` },
  });
};
