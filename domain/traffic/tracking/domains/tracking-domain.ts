import type { TrackingDomainStatus } from '@tributary/vocabulary';
import type { DomainRow } from '../store.ts';
import { buildProof } from './domain-verdict.ts';

export function toDomainResponse(row: DomainRow, collectorUrl: string) {
  const { domain, target, txtName, token } = buildProof(row, collectorUrl);
  return {
    id: row.id,
    domain,
    status: row.status as TrackingDomainStatus,
    verdict: row.verdict,
    checked_at: row.checked_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    records: [
      { type: 'CNAME' as const, name: domain, value: target },
      { type: 'TXT' as const, name: txtName, value: token },
    ],
  };
}
