import type { Input, Routes } from '@tributary/contract';
import { findNamedOwner } from '@tributary/domain/tenants';
import { answer, type Handles, refuse } from '@tributary/operations';
import { enter, type Tx } from '@tributary/postgres';
import type { Accounts } from './accounts.ts';
import { findUsableInvitation, refuseState } from './invitation.ts';
import { type FoundInvitation, spendInvitation } from './invitation-store.ts';
import { copyUser, findUser, findUserIfAny, insertMember, insertUser, type NewUser, type UserRow } from './store.ts';

type Body = Input<Routes['acceptInvitation']>['body'];

export const acceptInvitation: Handles<Routes['acceptInvitation'], { accounts: Accounts }> = async (
  { body },
  { accounts, behind, caller, servers, effect, now, setHeader, addToAudit },
) => {
  const { home, everywhere, shardOf } = servers;
  const invitation = await findUsableInvitation(everywhere, body.token, now);
  const newcomer = caller.userId ? undefined : await readNewcomer(body, accounts);
  const { workspace_id: workspaceId, role } = invitation;
  // An owner that an app named has an id already, under which changes were attributed.
  const namedId =
    newcomer && role === 'owner'
      ? await behind({ workspaceId }).transaction((tx) => findNamedOwner(tx, workspaceId), { readOnly: true })
      : null;
  const account = (tx: Tx) => (caller.userId ? findUser(tx, caller.userId) : enrol(tx, newcomer, now, namedId));
  // An account is made at home. For a workspace on another server it is made first: whoever fails to join then signs in and tries again.
  const isElsewhere = (await shardOf(workspaceId)) !== home;
  if (isElsewhere && newcomer) refuseOtherAddress(invitation, newcomer);
  const made = isElsewhere ? await home.unbound.transaction(account) : undefined;

  const joined = await effect(async (tx) => {
    await enter(tx, { workspaceId });
    const user = made ?? (await account(tx));
    refuseOtherAddress(invitation, user);
    if (isElsewhere) await copyUser(tx, user);
    await join(tx, invitation, user.id, now);
    addToAudit({
      log: { workspaceId },
      actor: { kind: 'user', id: user.id },
      detail: { role, is_new_account: newcomer !== undefined },
    });
    return answer(201, { data: { user_id: user.id, workspace_id: workspaceId, role } });
  }, workspaceId);

  if (newcomer && body.password !== undefined) {
    const signedIn = await accounts.signIn(newcomer.email, body.password);
    if (signedIn && 'setCookie' in signedIn) setHeader('set-cookie', signedIn.setCookie);
  }
  return joined;
};

/** Hashing a password takes a while, and is done before any row is locked. */
async function readNewcomer({ name, email, password }: Body, { passwords }: Accounts): Promise<NewUser> {
  const required = (field: string) =>
    refuse('validation_error', `The field "${field}" is required to make an account. Or sign in first.`, {
      fields: { field },
    });
  if (name === undefined) return required('name');
  if (email === undefined) return required('email');
  if (password === undefined) return required('password');
  passwords.accept(password);
  return { name, email, passwordHash: await passwords.hash(password) };
}

/** The link does not prove whose address it is, so it never opens an account that exists: its owner signs in first. */
async function enrol(tx: Tx, newcomer: NewUser | undefined, now: Date, namedId: string | null): Promise<UserRow> {
  const isFree = namedId !== null && !(await findUserIfAny(tx, namedId));
  const id = newcomer && (await insertUser(tx, newcomer, now, isFree ? namedId : undefined));
  if (id) return findUser(tx, id);
  return refuseState('account_exists', 'This address has an account. Sign in, then open the invitation again.');
}

function refuseOtherAddress({ email }: FoundInvitation, user: { readonly email: string }): void {
  if (email !== null && user.email !== email)
    refuse('forbidden', 'This invitation is for another e-mail address.', { fields: { reason: 'other_address' } });
}

async function join(tx: Tx, invitation: FoundInvitation, userId: string, now: Date): Promise<void> {
  const { workspace_id, role } = invitation;
  if (!(await spendInvitation(tx, invitation, userId, now)))
    refuseState('accepted', 'This invitation was already accepted or revoked.');
  if (!(await insertMember(tx, workspace_id, userId, role, now)))
    refuseState('already_member', 'You are a member of this workspace already.');
}
