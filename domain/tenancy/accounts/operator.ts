import { randomInt } from 'node:crypto';
import type { Role } from '@tributary/contract';
import { hasWorkspace } from '@tributary/domain/tenancy/tenants';
import { answer, type Operator, refuse } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { findForChange, refuseLastOwner } from './member.ts';
import type { Passwords } from './passwords.ts';
import {
  copyUser,
  findUserByEmail,
  insertMember,
  insertUser,
  listAllUsers,
  removeTwoFactor,
  replacePassword,
  setRole,
  type UserRow,
} from './store.ts';

/** Services of the operator's commands. Errors are written for a terminal. */
export interface OperatorTools {
  readonly operator: Operator;
  readonly passwords: Passwords;
}

export interface UserAndPassword {
  readonly id: string;
  readonly email: string;
  /** Shown once; only its hash is stored. */
  readonly password: string;
}

const creating = { id: 'createUser', audit: { action: 'account.created', of: 'user:{data.id}' } } as const;
const resetting = { id: 'resetPassword', audit: { action: 'account.password_reset', of: 'user:{data.id}' } } as const;
const adding = { id: 'addMember', audit: { action: 'member.added', of: 'user:{data.id}' } } as const;

/** Creates a user. Generates a password if none is given. */
export async function createUser(
  { operator, passwords }: OperatorTools,
  user: { readonly email: string; readonly name: string; readonly password?: string | undefined },
): Promise<UserAndPassword> {
  const email = user.email.trim().toLowerCase();
  const password = user.password ?? generatePassword();
  passwords.accept(password);
  const passwordHash = await passwords.hash(password);
  const { body } = await operator.effect(creating, {}, async (tx) => {
    const id = await insertUser(tx, { email, name: user.name, passwordHash }, operator.now);
    return id ? answer(201, { data: { id } }) : refuse('invalid_state', `Somebody has the address ${email} already.`);
  });
  return { id: body.data.id, email, password };
}

/** Sets a generated password and ends all sessions of the user. Removes the second factor if requested. */
export async function resetPassword(
  { operator, passwords }: OperatorTools,
  emailAsTyped: string,
  { withSecondFactor = false }: { readonly withSecondFactor?: boolean | undefined } = {},
): Promise<UserAndPassword> {
  const password = generatePassword();
  const passwordHash = await passwords.hash(password);
  const { body } = await operator.effect(resetting, {}, async (tx, addToAudit) => {
    const { id, email } = await userWith(tx, emailAsTyped);
    await replacePassword(tx, id, passwordHash, operator.now);
    if (withSecondFactor) {
      await removeTwoFactor(tx, id, operator.now);
      addToAudit({ detail: { second_factor: 'removed' } });
    }
    return answer(200, { data: { id, email } });
  });
  return { ...body.data, password };
}

export interface ListedUser {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly createdAt: Date;
}

export async function listUsers({ operator }: Pick<OperatorTools, 'operator'>): Promise<ListedUser[]> {
  const rows = await operator.behind({}).transaction(listAllUsers);
  return rows.map(({ id, email, name, created_at }) => ({ id, email, name, createdAt: created_at }));
}

/** Adds a user to a workspace, or changes the user's role in it. */
export async function addMember(
  { operator }: Pick<OperatorTools, 'operator'>,
  { workspaceId, email, role }: { readonly workspaceId: string; readonly email: string; readonly role: Role },
): Promise<void> {
  const { home, shardOf } = operator.servers;
  const user = await home.unbound.transaction((tx) => userWith(tx, email));
  const isElsewhere = (await shardOf(workspaceId)) !== home;
  const { id } = user;
  await operator.effect(adding, { workspaceId }, async (tx, addToAudit) => {
    if (isElsewhere) await copyUser(tx, user);
    if (!(await hasWorkspace(tx, workspaceId))) refuse('not_found', `There is no workspace ${workspaceId}.`);
    const member = await findForChange(tx, workspaceId, id);
    if (member && role !== 'owner') refuseLastOwner(member);
    if (member) await setRole(tx, workspaceId, id, role);
    else await insertMember(tx, workspaceId, id, role, operator.now);
    addToAudit({ detail: { from: member?.role ?? null, to: role } });
    return answer(200, { data: { id } });
  });
}

async function userWith(tx: Tx, emailAsTyped: string): Promise<UserRow> {
  const email = emailAsTyped.trim().toLowerCase();
  return (await findUserByEmail(tx, email)) ?? refuse('not_found', `Nobody has the address ${email}.`);
}

/** Without letters that look like digits. 20 characters out of 32 are 100 bits. */
const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789';
const generatePassword = () => Array.from({ length: 20 }, () => alphabet[randomInt(alphabet.length)]).join('');
