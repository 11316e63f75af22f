import type { Tx } from '@tributary/postgres';
import { v7 as uuid } from 'uuid';

export interface NewUser {
  readonly name: string;
  /** In lower case. */
  readonly email: string;
  readonly passwordHash: string;
}

/** Undefined when somebody has the address already. */
export async function insertUser(
  tx: Tx,
  { name, email, passwordHash }: NewUser,
  now: Date,
): Promise<string | undefined> {
  const id = uuid();
  const times = { created_at: now, updated_at: now };
  const inserted = await tx
    .insertInto('users')
    .values({ id, name, email, ...times })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!inserted) return undefined;
  await tx
    .insertInto('accounts')
    .values({ id: uuid(), user_id: id, account_id: id, provider_id: 'credential', password: passwordHash, ...times })
    .execute();
  return id;
}

export async function readPasswordHash(tx: Tx, userId: string): Promise<string | undefined> {
  const account = await passwordAccount(tx, userId).executeTakeFirst();
  return account?.password ?? undefined;
}

const passwordAccount = (tx: Tx, userId: string) =>
  tx.selectFrom('accounts').select('password').where('user_id', '=', userId).where('provider_id', '=', 'credential');

/** A new password ends the sessions that the old one opened, but for the one that made the change. */
export async function replacePassword(
  tx: Tx,
  userId: string,
  passwordHash: string,
  now: Date,
  keptSessionId?: string,
): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({ password: passwordHash, updated_at: now })
    .where('user_id', '=', userId)
    .where('provider_id', '=', 'credential')
    .execute();
  let ended = tx.deleteFrom('sessions').where('user_id', '=', userId);
  if (keptSessionId) ended = ended.where('id', '<>', keptSessionId);
  await ended.execute();
}
