import { randomInt } from 'node:crypto';
import type { Role } from '@tributary/contract';
import type { Postgres } from '@tributary/postgres';
import type { Passwords } from './passwords.ts';
import { insertUser, replacePassword } from './users.ts';

/** What the operator does from the command line, where there is no session yet. Errors are sentences for a terminal. */
export interface OperatorTools {
  readonly postgres: Postgres;
  readonly passwords: Passwords;
  readonly now: () => Date;
}

export interface UserAndPassword {
  readonly id: string;
  readonly email: string;
  /** Shown once: only a hash of it is kept. */
  readonly password: string;
}

/** Without a password one is made. */
export async function createUser(
  { postgres, passwords, now }: OperatorTools,
  user: { readonly email: string; readonly name: string; readonly password?: string | undefined },
): Promise<UserAndPassword> {
  const email = user.email.trim().toLowerCase();
  const password = user.password ?? generatePassword();
  passwords.accept(password);
  const passwordHash = await passwords.hash(password);
  const id = await postgres.unbound.transaction((tx) =>
    insertUser(tx, { email, name: user.name, passwordHash }, now()),
  );
  if (!id) throw new Error(`Somebody has the address ${email} already.`);
  return { id, email, password };
}

/** Gives the person a new password and ends all of their sessions. */
export async function resetPassword(
  { postgres, passwords, now }: OperatorTools,
  emailAsTyped: string,
): Promise<UserAndPassword> {
  const password = generatePassword();
  const passwordHash = await passwords.hash(password);
  const { id, email } = await findUser(postgres, emailAsTyped);
  await postgres.unbound.transaction((tx) => replacePassword(tx, id, passwordHash, now()));
  return { id, email, password };
}

export interface ListedUser {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly createdAt: Date;
}

export async function listUsers({ postgres }: Pick<OperatorTools, 'postgres'>): Promise<ListedUser[]> {
  const rows = await postgres.unbound.transaction((tx) =>
    tx.selectFrom('users').selectAll().orderBy('email').execute(),
  );
  return rows.map(({ id, email, name, created_at }) => ({ id, email, name, createdAt: created_at }));
}

/** Adds a person to a workspace, or changes the role that they have there. */
export async function addMember(
  { postgres, now }: Omit<OperatorTools, 'passwords'>,
  { workspaceId, email, role }: { readonly workspaceId: string; readonly email: string; readonly role: Role },
): Promise<void> {
  const { id: userId } = await findUser(postgres, email);
  await postgres.forWorkspace(workspaceId).transaction(async (tx) => {
    const workspace = await tx.selectFrom('workspaces').select('id').where('id', '=', workspaceId).executeTakeFirst();
    if (!workspace) throw new Error(`There is no workspace ${workspaceId}.`);
    await tx
      .insertInto('members')
      .values({ workspace_id: workspaceId, user_id: userId, role, created_at: now() })
      .onConflict((conflict) => conflict.columns(['workspace_id', 'user_id']).doUpdateSet({ role }))
      .execute();
  });
}

async function findUser(postgres: Postgres, emailAsTyped: string): Promise<{ id: string; email: string }> {
  const email = emailAsTyped.trim().toLowerCase();
  const user = await postgres.unbound.transaction((tx) =>
    tx.selectFrom('users').select(['id', 'email']).where('email', '=', email).executeTakeFirst(),
  );
  if (!user) throw new Error(`Nobody has the address ${email}.`);
  return user;
}

/** Easy to read out: no letter that looks like a digit. 20 of 32 characters are 100 bits. */
const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789';
const generatePassword = () => Array.from({ length: 20 }, () => alphabet[randomInt(alphabet.length)]).join('');
