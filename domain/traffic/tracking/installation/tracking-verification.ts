import { type VerificationStatus, verificationParameter } from '@tributary/vocabulary';
import type { VerificationRow } from '../store.ts';

export function toVerificationResponse(row: VerificationRow, now: Date) {
  const link = new URL(row.url);
  // The tracker reads this parameter and removes it from the address bar.
  link.searchParams.set(verificationParameter, row.nonce);
  return {
    id: row.id,
    url: row.url,
    link: link.href,
    status: getStatus(row, now),
    snippet_present: row.is_snippet_present,
    hint: row.fetch_verdict,
    started_at: row.started_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    verified_at: row.verified_at?.toISOString() ?? null,
  };
}

function getStatus({ verified_at, expires_at }: VerificationRow, now: Date): VerificationStatus {
  if (verified_at) return 'verified';
  return expires_at > now ? 'pending' : 'expired';
}
