import type { Input, Routes } from '@tributary/contract';
import { findNamedOwner } from '@tributary/domain/tenancy/tenants';
import { answer, type Handles, refuse } from '@tributary/operations';
import { switchScope, type Tx } from '@tributary/postgres';
import type { Accounts } from './accounts.ts';
import { findUsableInvitation, refuseState } from './invitation.ts';
import { consumeInvitation, type FoundInvitation } from './invitation-store.ts';
import { copyUser, findUser, findUserIfAny, insertMember, insertUser, type NewUser, type UserRow } from './store.ts';

type Body = Input<Routes['acceptInvitation']>['body'];

export const acceptInvitation: Handles<Routes['acceptInvitation'], { accounts: Accounts }> = async (
  { body },
  { accounts, behind, caller, servers, effect, now, setHeader, addToAudit },
) => {
  const { home, allShards, shardOf } = servers;
  const invitation = await findUsableInvitation(allShards, body.token, now);
  const newcomer = caller.userId ? undefined : await readNewcomer(body, accounts);
  const { workspace_id: workspaceId, role } = invitation;
  // An owner named by an app already has an id, to which changes were attributed.
  const namedId =
    newcomer && role === 'owner'
      ? await behind({ workspaceId }).transaction((tx) => findNamedOwner(tx, workspaceId), { readOnly: true })
      : null;
  const account = (tx: Tx) => (caller.userId ? findUser(tx, caller.userId) : createAccount(tx, newcomer, now, namedId));
  // Accounts are created on the home server. For a workspace on another server the account is created first, so that the user can sign in and
  // retry if joining fails.
  const isElsewhere = (await shardOf(workspaceId)) !== home;
  if (isElsewhere && newcomer) refuseOtherAddress(invitation, newcomer);
  const created = isElsewhere ? await home.unbound.transaction(account) : undefined;

  const joined = await effect(async (tx) => {
    await switchScope(tx, { workspaceId });
    const user = created ?? (await account(tx));
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

/** Hashes the password before any row is locked, because hashing is slow. */
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

/** Creates the account of a new member. Refuses existing addresses, because the link does not prove ownership of the address. */
async function createAccount(
  tx: Tx,
  newcomer: NewUser | undefined,
  now: Date,
  namedId: string | null,
): Promise<UserRow> {
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
  if (!(await consumeInvitation(tx, invitation, userId, now)))
    refuseState('accepted', 'This invitation was already accepted or revoked.');
  if (!(await insertMember(tx, workspace_id, userId, role, now)))
    refuseState('already_member', 'You are a member of this workspace already.');
}
