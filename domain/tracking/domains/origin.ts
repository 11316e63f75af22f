import type { OriginKind } from '@tributary/vocabulary';
import type { DomainRow } from '../store.ts';

export interface Origin {
  readonly kind: OriginKind;
  readonly url: string;
  readonly domainId: string | null;
}

/** The first verified domain of its own, so that a later one does not move a site that works; else the collector. */
export function originOf(domains: readonly DomainRow[], collectorUrl: string): Origin {
  const own = domains.find(({ status }) => status === 'verified');
  return own
    ? { kind: 'custom_domain', url: `https://${own.domain}`, domainId: own.id }
    : { kind: 'collector', url: collectorUrl, domainId: null };
}
