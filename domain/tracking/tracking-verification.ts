import type { VerificationRow } from './store.ts';

/** The tracker reads it from the address and takes it away again at once. */
const parameter = 'svc_v';

export function showVerification(row: VerificationRow, now: Date) {
  const link = new URL(row.url);
  link.searchParams.set(parameter, row.nonce);
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

function statusOf({ verified_at, expires_at }: VerificationRow, now: Date): 'pending' | 'verified' | 'expired' {
  if (verified_at) return 'verified';
  return expires_at > now ? 'pending' : 'expired';
}
