import { type VerificationStatus, verificationParameter } from '@tributary/vocabulary';
import type { VerificationRow } from '../store.ts';

export function showVerification(row: VerificationRow, now: Date) {
  const link = new URL(row.url);
  // The tracker reads it from the address and takes it away again at once.
  link.searchParams.set(verificationParameter, row.nonce);
  return {
    id: row.id,
    url: row.url,
    link: link.href,
    status: statusOf(row, now),
    snippet_present: row.is_snippet_present,
    hint: row.fetch_verdict,
    started_at: row.started_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    verified_at: row.verified_at?.toISOString() ?? null,
  };
}

function statusOf({ verified_at, expires_at }: VerificationRow, now: Date): VerificationStatus {
  if (verified_at) return 'verified';
  return expires_at > now ? 'pending' : 'expired';
}
