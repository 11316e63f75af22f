import type { Input, Routes } from '@tributary/contract';
import { audit } from '@tributary/domain/accountability';
import { hashSecret, isWellFormedSecret } from '@tributary/domain/credentials';
import { answer, type Handles, refuse } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import type { Accounts } from './accounts.ts';
import { type FoundInvitation, findInvitation, refuseState, refuseUnusable } from './invitation.ts';
import { insertUser, type NewUser } from './users.ts';

type Body = Input<Routes['acceptInvitation']>['body'];

export const acceptInvitation: Handles<Routes['acceptInvitation'], { accounts: Accounts }> = async (
  { body },
  { accounts, caller, ledger, behind, now, requestId, setHeader },
) => {
  const hash = hashSecret(body.token);
  const isOurs = isWellFormedSecret(body.token, 'invitation');
  const invitation = isOurs ? await ledger.transaction((tx) => findInvitation(tx, hash)) : undefined;
  if (!invitation) return refuse('not_found', 'There is no such invitation. Was the link copied as a whole?');
  refuseUnusable(invitation, now);
  const newcomer = caller.userId ? undefined : await readNewcomer(body, accounts);
  const { workspace_id: workspaceId, role } = invitation;

  const userId = await behind({ workspaceId }).transaction(async (tx) => {
    const id = caller.userId ?? (await enrol(tx, newcomer, now));
    await refuseOtherAddress(tx, invitation, id);
    await join(tx, invitation, id, now);
    const actor = caller.userId ? caller : { kind: 'session' as const, credentialId: id, userId: id };
    await audit(tx, actor, requestId, now, {
      workspaceId,
      action: 'member.joined',
      target: `user:${id}`,
      detail: { role },
    });
    return id;
  });

  if (newcomer && body.password !== undefined) {
    const signedIn = await accounts.signIn(newcomer.email, body.password);
    if (signedIn) setHeader('set-cookie', signedIn.setCookie);
  }
  return answer(201, { data: { user_id: userId, workspace_id: workspaceId, role } });
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
async function enrol(tx: Tx, newcomer: NewUser | undefined, now: Date): Promise<string> {
  const id = newcomer && (await insertUser(tx, newcomer, now));
  return id ?? refuseState('account_exists', 'This address has an account. Sign in, then open the invitation again.');
}

async function refuseOtherAddress(tx: Tx, { email }: FoundInvitation, userId: string): Promise<void> {
  if (email === null) return;
  const user = await tx.selectFrom('users').select('email').where('id', '=', userId).executeTakeFirstOrThrow();
  if (user.email !== email) {
    refuse('forbidden', 'This invitation is for another e-mail address.', { fields: { reason: 'other_address' } });
  }
}

/** The invitation is spent by the same statement that finds it unspent: of two at once, one joins. */
async function join(tx: Tx, { workspace_id, id, role }: FoundInvitation, userId: string, now: Date): Promise<void> {
  const spent = await tx
    .updateTable('invitations')
    .set({ accepted_at: now, accepted_by: userId })
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', id)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  if (!spent) refuseState('accepted', 'This invitation was already accepted or revoked.');
  const member = await tx
    .insertInto('members')
    .values({ workspace_id, user_id: userId, role, created_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .returning('user_id')
    .executeTakeFirst();
  if (!member) refuseState('already_member', 'You are a member of this workspace already.');
}
