import type { Tx } from '@tributary/postgres';

export interface PasswordReset {
  readonly userId: string;
  readonly hash: Buffer;
  readonly expiresAt: Date;
}

/** Stores a link, replacing the previous one. Returns false when a mail was sent to this account after `pausedSince`. */
export async function savePasswordReset(tx: Tx, reset: PasswordReset, pausedSince: Date): Promise<boolean> {
  const link = { hash: reset.hash, expires_at: reset.expiresAt, sent_at: null };
  const saved = await tx
    .insertInto('password_resets')
    .values({ user_id: reset.userId, ...link })
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .doUpdateSet(link)
        .where((where) =>
          where.or([where('password_resets.sent_at', 'is', null), where('password_resets.sent_at', '<=', pausedSince)]),
        ),
    )
    .returning('user_id')
    .executeTakeFirst();
  return saved !== undefined;
}

export const markResetSent = (tx: Tx, { userId, hash }: PasswordReset, now: Date) =>
  tx
    .updateTable('password_resets')
    .set({ sent_at: now })
    .where('user_id', '=', userId)
    .where('hash', '=', hash)
    .execute();

export async function hasPasswordReset(tx: Tx, hash: Buffer, now: Date): Promise<boolean> {
  const found = await tx
    .selectFrom('password_resets')
    .select('user_id')
    .where('hash', '=', hash)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return found !== undefined;
}

/** Deletes the link and returns its user, in one statement, so that only one of two concurrent requests succeeds. */
export async function consumePasswordReset(tx: Tx, hash: Buffer, now: Date): Promise<string | undefined> {
  const spent = await tx
    .deleteFrom('password_resets')
    .where('hash', '=', hash)
    .where('expires_at', '>', now)
    .returning('user_id')
    .executeTakeFirst();
  return spent?.user_id;
}
