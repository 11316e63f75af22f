import { routes } from '@tributary/contract';
import { findWorkspaceOf } from '@tributary/domain/tenants';
import { answer, type Operator, refuse } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { snippetOf } from '../installation/snippet.ts';
import { insertKey, type KeyRow, listActiveKeys } from '../store.ts';

/** A profile has one active key: a new one, or the one that it has already. */
export async function ensureTrackingKey(
  tx: Tx,
  profileId: string,
  now: Date,
): Promise<{ readonly key: KeyRow; readonly isNew: boolean }> {
  for (;;) {
    const made = await insertKey(tx, profileId, now);
    if (made) return { key: made, isNew: true };
    const [active] = await listActiveKeys(tx, profileId);
    if (active) return { key: active, isNew: false };
    // It was revoked in between: now there is room for a new one.
  }
}

export const showTrackingKey = ({ id, key, created_at }: KeyRow) => ({ id, key, created_at: created_at.toISOString() });

/** For a profile that was just made. Resolves to what goes into its pages: it has no settings and no domain of its own yet. */
export async function installByOperator(operator: Operator, profileId: string, collectorUrl: string): Promise<string> {
  const { body } = await operator.effect(routes.createTrackingKey, { profileId }, async (tx, addToAudit) => {
    const workspaceId = await findWorkspaceOf(tx, profileId);
    if (!workspaceId) return refuse('not_found', 'There is no such profile.');
    addToAudit({ log: { workspaceId } });
    const { key } = await ensureTrackingKey(tx, profileId, operator.now);
    return answer(201, { data: showTrackingKey(key) });
  });
  return snippetOf({ key: body.data.key, origin: collectorUrl, isConsentRequired: false });
}
