import { findOwner, isMember } from '@tributary/domain/tenancy/accounts';
import { findGoverningApp, findNamedOwner } from '@tributary/domain/tenancy/tenants';
import { refuse } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import type { AdContext } from './services.ts';

/**
 * The member on whose behalf a change is made. For a session it is its user; the app that set up the profile acts for the workspace owner
 * unless it names a member. Null when only the credential is known.
 */
export async function appliedBy(context: AdContext, named: string | undefined): Promise<string | null> {
  const { caller, ledger, behind } = context;
  const { workspaceId, profileId, userId, appId } = caller;
  const workspace = behind({ workspaceId });
  if (named !== undefined && !(await workspace.transaction((tx) => mayDecide(tx, workspaceId, named))))
    refuse('validation_error', '"applied_by" must be a member of the workspace.', { fields: { field: 'applied_by' } });
  if (named !== undefined || userId !== undefined) return named ?? userId ?? null;
  const governing = appId && (await ledger.transaction((tx) => findGoverningApp(tx, profileId)));
  if (!governing || governing !== appId) return null;
  return workspace.transaction(
    async (tx) => (await findOwner(tx, workspaceId)) ?? (await findNamedOwner(tx, workspaceId)),
  );
}

/** A member, or the owner named by the app who has not accepted the invitation yet. */
const mayDecide = async (tx: Tx, workspaceId: string, userId: string): Promise<boolean> =>
  (await isMember(tx, workspaceId, userId)) || (await findNamedOwner(tx, workspaceId)) === userId;

/** The same, but refuses if the member is unknown. */
export async function requireAppliedBy(context: AdContext, named: string | undefined): Promise<string> {
  const found = await appliedBy(context, named);
  return (
    found ??
    refuse('validation_error', '"applied_by" is required: the member of the workspace who decided it.', {
      fields: { field: 'applied_by' },
    })
  );
}
