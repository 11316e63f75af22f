import { routes } from '@tributary/contract';
import { findWorkspaceOf } from '@tributary/domain/tenancy/tenants';
import { answer, type Operator, refuse } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { buildSnippet } from '../installation/snippet.ts';
import { insertKey, type KeyRow, listActiveKeys } from '../store.ts';

/** Returns the profile's active key, or creates it. A profile has at most one. */
export async function ensureTrackingKey(
  tx: Tx,
  profileId: string,
  now: Date,
): Promise<{ readonly key: KeyRow; readonly isNew: boolean }> {
  for (;;) {
    const created = await insertKey(tx, profileId, now);
    if (created) return { key: created, isNew: true };
    const [active] = await listActiveKeys(tx, profileId);
    if (active) return { key: active, isNew: false };
    // Retries, because the active key was revoked between the two statements.
  }
}

export const toKeyResponse = ({ id, key, created_at }: KeyRow) => ({ id, key, created_at: created_at.toISOString() });

/**
 * Creates the key of a new profile, on an operator's command. Resolves to the snippet for its pages, without settings
 * or a custom domain.
 */
export async function installByOperator(operator: Operator, profileId: string, collectorUrl: string): Promise<string> {
  const { body } = await operator.effect(routes.createTrackingKey, { profileId }, async (tx, addToAudit) => {
    const workspaceId = await findWorkspaceOf(tx, profileId);
    if (!workspaceId) return refuse('not_found', 'There is no such profile.');
    addToAudit({ log: { workspaceId } });
    const { key } = await ensureTrackingKey(tx, profileId, operator.now);
    return answer(201, { data: toKeyResponse(key) });
  });
  return buildSnippet({ key: body.data.key, origin: collectorUrl, isConsentRequired: false });
}
