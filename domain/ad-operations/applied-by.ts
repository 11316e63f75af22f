import { findOwner, isMember } from '@tributary/domain/accounts';
import { findGoverningApp, findNamedOwner } from '@tributary/domain/tenants';
import { refuse } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import type { AdContext } from './services.ts';

/**
 * For whom a change is made. A session is its own person; the app that set the profile up acts for the workspace's owner unless it names
 * somebody. Null: the credential alone.
 */
export async function appliedBy(context: AdContext, said: string | undefined): Promise<string | null> {
  const { caller, ledger, behind } = context;
  const { workspaceId, profileId, userId, appId } = caller;
  const workspace = behind({ workspaceId });
  if (said !== undefined && !(await workspace.transaction((tx) => mayDecide(tx, workspaceId, said))))
    refuse('validation_error', '"applied_by" must be a member of the workspace.', { fields: { field: 'applied_by' } });
  if (said !== undefined || userId !== undefined) return said ?? userId ?? null;
  const governing = appId && (await ledger.transaction((tx) => findGoverningApp(tx, profileId)));
  if (!governing || governing !== appId) return null;
  return workspace.transaction(
    async (tx) => (await findOwner(tx, workspaceId)) ?? (await findNamedOwner(tx, workspaceId)),
  );
}

/** A member, or the owner that the app named and that has not accepted yet. */
const mayDecide = async (tx: Tx, workspaceId: string, userId: string): Promise<boolean> =>
  (await isMember(tx, workspaceId, userId)) || (await findNamedOwner(tx, workspaceId)) === userId;

/** The same where somebody has to answer for it. */
export async function answerable(context: AdContext, said: string | undefined): Promise<string> {
  const found = await appliedBy(context, said);
  return (
    found ??
    refuse('validation_error', '"applied_by" is required: the member of the workspace who decided it.', {
      fields: { field: 'applied_by' },
    })
  );
}
