import type { MailPlace } from '@tributary/domain/report-mails';
import type { Tx, UnboundLedger } from '@tributary/postgres';
import type { AlertKind, AlertMoment, Language, MailState } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';

export interface AlertRow {
  readonly profileId: string;
  readonly id: string;
  readonly kind: AlertKind;
  readonly since: Date;
  readonly openedAt: Date;
}

const columns = sql`profile_id AS "profileId", id, kind, since, opened_at AS "openedAt"`;

/** Undefined where one of the kind is open already. */
export async function insertAlert(
  tx: Tx,
  { profileId, kind, since, openedAt }: Omit<AlertRow, 'id'>,
): Promise<AlertRow | undefined> {
  const { rows } = await sql<AlertRow>`
    INSERT INTO alerts (profile_id, id, kind, since, opened_at)
    VALUES (${profileId}, ${uuid()}, ${kind}, ${since}, ${openedAt})
    ON CONFLICT (profile_id, kind) WHERE ended_at IS NULL DO NOTHING
    RETURNING ${columns}`.execute(tx);
  return rows[0];
}

/** False where another worker was first. */
export async function endAlert(tx: Tx, { profileId, id }: AlertRow, at: Date): Promise<boolean> {
  const { rows } = await sql`
    UPDATE alerts SET ended_at = ${at} WHERE profile_id = ${profileId} AND id = ${id} AND ended_at IS NULL
    RETURNING id`.execute(tx);
  return rows.length > 0;
}

/** Those of a profile that are open, the latest first. */
export async function listOpen(tx: Tx, profileId: string): Promise<AlertRow[]> {
  const { rows } = await sql<AlertRow>`
    SELECT ${columns} FROM alerts WHERE profile_id = ${profileId} AND ended_at IS NULL ORDER BY opened_at DESC, id DESC`.execute(
    tx,
  );
  return rows;
}

/** Those of a kind that are open, of profiles after another, in the order of their ids. As the system. */
export async function listOpenOf(
  ledger: UnboundLedger,
  kind: AlertKind,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<AlertRow[]> {
  const { rows } = await ledger.query(sql<AlertRow>`
    SELECT ${columns} FROM alerts WHERE kind = ${kind} AND ended_at IS NULL AND profile_id > ${after}
    ORDER BY profile_id LIMIT ${limit}`);
  return rows;
}

/** Of some profiles those that have one of the kind open. As the system. */
export async function findOpenOf(
  ledger: UnboundLedger,
  kind: AlertKind,
  profileIds: readonly string[],
): Promise<Set<string>> {
  const { rows } = await ledger.query(sql<{ id: string }>`
    SELECT profile_id AS id FROM alerts
    WHERE profile_id = ANY (${[...profileIds]}::uuid[]) AND kind = ${kind} AND ended_at IS NULL`);
  return new Set(rows.map(({ id }) => id));
}

// ── Who is told ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface Wish {
  readonly userId: string;
  readonly isWanted: boolean;
  readonly language: Language;
}

/** What members have said, of all or of one. */
export async function listWishes(tx: Tx, profileId: string, userId?: string): Promise<Wish[]> {
  const { rows } = await sql<Wish>`
    SELECT user_id AS "userId", is_wanted AS "isWanted", language FROM alert_wishes
    WHERE profile_id = ${profileId} ${userId === undefined ? sql`` : sql`AND user_id = ${userId}`}`.execute(tx);
  return rows;
}

/** Whoever wants no more gets nothing that is not on its way yet. */
export async function saveWish(tx: Tx, profileId: string, { userId, isWanted, language }: Wish): Promise<void> {
  await sql`
    INSERT INTO alert_wishes (profile_id, user_id, is_wanted, language)
    VALUES (${profileId}, ${userId}, ${isWanted}, ${language})
    ON CONFLICT (profile_id, user_id) DO UPDATE SET is_wanted = excluded.is_wanted, language = excluded.language`.execute(
    tx,
  );
  if (!isWanted)
    await sql`
      DELETE FROM alert_mails WHERE profile_id = ${profileId} AND user_id = ${userId} AND state = 'waiting'`.execute(
      tx,
    );
}

// ── Mails ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export async function insertMails(
  tx: Tx,
  { profileId, id }: AlertRow,
  to: readonly Pick<Wish, 'userId' | 'language'>[],
  at: Date,
): Promise<void> {
  if (to.length === 0) return;
  await sql`
    INSERT INTO alert_mails (profile_id, alert_id, moment, user_id, language, made_at, state, due_at)
    SELECT ${profileId}, ${id}, 'opened', u.id, u.language, ${at}, 'waiting', ${at}
    FROM unnest(${to.map(({ userId }) => userId)}::uuid[], ${to.map(({ language }) => language)}::text[]) AS u (id, language)`.execute(
    tx,
  );
}

/** That it is over is told to whoever was told that it began, or may have been; whoever was not yet never will be. */
export async function insertEndMails(tx: Tx, { profileId, id }: AlertRow, at: Date): Promise<void> {
  const its = sql`profile_id = ${profileId} AND alert_id = ${id}`;
  await sql`DELETE FROM alert_mails WHERE ${its} AND state = 'waiting'`.execute(tx);
  await sql`
    INSERT INTO alert_mails (profile_id, alert_id, moment, user_id, language, made_at, state, due_at)
    SELECT profile_id, alert_id, 'ended', user_id, language, ${at}, 'waiting', ${at} FROM alert_mails m
    WHERE ${its} AND (state IN ('sent', 'sending') OR reason = 'unclear')
      AND NOT EXISTS (
        SELECT FROM alert_wishes w WHERE w.profile_id = m.profile_id AND w.user_id = m.user_id AND NOT w.is_wanted)`.execute(
    tx,
  );
}

export interface AlertMailRow extends Omit<AlertRow, 'profileId' | 'openedAt'> {
  readonly moment: AlertMoment;
  readonly endedAt: Date | null;
  readonly userId: string;
  readonly language: Language;
  readonly state: MailState;
}

export async function listDueMails(tx: Tx, profileId: string, at: Date, limit: number): Promise<AlertMailRow[]> {
  const { rows } = await sql<AlertMailRow>`
    SELECT m.alert_id AS id, m.moment, m.user_id AS "userId", m.language, m.state, a.kind, a.since, a.ended_at AS "endedAt"
    FROM alert_mails m JOIN alerts a ON a.profile_id = m.profile_id AND a.id = m.alert_id
    WHERE m.profile_id = ${profileId} AND m.due_at <= ${at} AND m.state IN ('waiting', 'sending')
    ORDER BY m.due_at, m.alert_id, m.moment, m.user_id LIMIT ${limit}`.execute(tx);
  return rows;
}

/** One mail: of which alert, at which moment, to whom. */
export type MailKey = Pick<AlertMailRow, 'id' | 'moment' | 'userId'>;

/** Where it is kept how a mail stands. */
export const placeOf = (profileId: string, { id, moment, userId }: MailKey): MailPlace => ({
  table: sql`alert_mails`,
  row: sql`profile_id = ${profileId} AND alert_id = ${id} AND moment = ${moment} AND user_id = ${userId}`,
});
