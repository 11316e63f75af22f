import { links } from '@tributary/contract';
import type { HandoffProvider, HandoffReason, HandoffStatus } from '@tributary/vocabulary';
import { openCapability } from './capability.ts';
import { getStage } from './handoff.ts';
import type { HandoffServices } from './services.ts';
import { type HandoffRow, toHandoff } from './store.ts';

/**
 * Converts a hand-off to its response. An expired hand-off is shown as failed, even before the expiry job has marked
 * it.
 */
export function toHandoffResponse(
  row: HandoffRow,
  { baseUrl, vault }: Pick<HandoffServices, 'baseUrl' | 'vault'>,
  now: Date,
) {
  const { id, profile_id: profileId, created_at, expires_at } = row;
  const capability = openCapability(vault, { profileId, id }, row.capability);
  const provider = row.provider as HandoffProvider;
  const isLapsed = getStage(toHandoff(row), now) === 'lapsed';
  const completedAt = isLapsed ? expires_at : row.completed_at;
  return {
    id,
    kind: 'connect' as const,
    status: isLapsed ? ('failed' as const) : (row.status as HandoffStatus),
    url: links.connect(baseUrl, capability),
    start_url: links.startConnect(baseUrl, capability),
    expires_at: expires_at.toISOString(),
    created_at: created_at.toISOString(),
    completed_at: completedAt?.toISOString() ?? null,
    last_attempt: toLastAttempt(row),
    result: isLapsed ? { provider, reason: 'handoff_expired' as const } : toResult(row, provider),
  };
}

const toLastAttempt = ({ last_attempt_reason: reason, last_attempt_at: at }: HandoffRow) =>
  reason && at ? { reason: reason as HandoffReason, at: at.toISOString() } : null;

function toResult(row: HandoffRow, provider: HandoffProvider) {
  if (row.connection_id) return { provider, connection_id: row.connection_id };
  if (row.candidate_count !== null && row.selection_expires_at) {
    const expires_at = row.selection_expires_at.toISOString();
    return { provider, pending_selection: { candidate_count: row.candidate_count, expires_at } };
  }
  return row.reason ? { provider, reason: row.reason as HandoffReason } : null;
}
