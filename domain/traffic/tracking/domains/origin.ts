import type { OriginKind } from '@tributary/vocabulary';
import type { DomainRow } from '../store.ts';

export interface Origin {
  readonly kind: OriginKind;
  readonly url: string;
  readonly domainId: string | null;
}

/** The first verified custom domain, so that a later one does not move a working site; otherwise the collector. */
export function chooseOrigin(domains: readonly DomainRow[], collectorUrl: string): Origin {
  const custom = domains.find(({ status }) => status === 'verified');
  return custom
    ? { kind: 'custom_domain', url: `https://${custom.domain}`, domainId: custom.id }
    : { kind: 'collector', url: collectorUrl, domainId: null };
}
