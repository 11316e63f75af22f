import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { limits } from '@tributary/vocabulary';
import type { TrackingServices } from '../services.ts';
import { insertDomain, listDomains, lockDomains } from '../store.ts';
import { foldPublicHost } from './host-name.ts';
import { toDomainResponse } from './tracking-domain.ts';

const { most: maxDomains } = limits.trackingDomains;

export const createTrackingDomain: Handles<
  Routes['createTrackingDomain'],
  Pick<TrackingServices, 'collectorUrl'>
> = async ({ body }, { caller, effect, now, collectorUrl, addToAudit }) => {
  const profileId = caller.profileId;
  const domain = foldPublicHost(body.domain);
  if (!domain || domain === new URL(collectorUrl).hostname) {
    refuse('validation_error', 'The field "domain" must be a public host name of your own, like track.shop.cl.', {
      fields: { field: 'domain' },
    });
  }
  return effect(async (tx) => {
    await lockDomains(tx, profileId);
    const domains = await listDomains(tx, profileId);
    const existing = domains.find((row) => row.domain === domain);
    if (existing) return answer(200, { data: toDomainResponse(existing, collectorUrl) });
    if (domains.length >= maxDomains) {
      refuse('invalid_state', `A profile collects on up to ${maxDomains} domains of its own. Remove one first.`, {
        fields: { reason: 'too_many_domains' },
      });
    }
    const created = await insertDomain(tx, profileId, domain, now);
    addToAudit({ detail: { domain } });
    return answer(201, { data: toDomainResponse(created, collectorUrl) });
  });
};
