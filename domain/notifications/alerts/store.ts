import type { MailLocation } from '@tributary/domain/notifications/report-mails';
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

/** Undefined if an alert of the kind is already open. */
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

/** Returns false if another worker was first. */
export async function endAlert(tx: Tx, { profileId, id }: AlertRow, at: Date): Promise<boolean> {
  const { rows } = await sql`
    UPDATE alerts SET ended_at = ${at} WHERE profile_id = ${profileId} AND id = ${id} AND ended_at IS NULL
    RETURNING id`.execute(tx);
  return rows.length > 0;
}

/** Open alerts of a profile, newest first. */
export async function listOpen(tx: Tx, profileId: string): Promise<AlertRow[]> {
  const { rows } = await sql<AlertRow>`
    SELECT ${columns} FROM alerts WHERE profile_id = ${profileId} AND ended_at IS NULL ORDER BY opened_at DESC, id DESC`.execute(
    tx,
  );
  return rows;
}

/** Open alerts of a kind, paged by profile id. Runs under the system role. */
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

/** The given profiles with an open alert of the kind. Runs under the system role. */
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

// ── Recipients ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface AlertPreference {
  readonly userId: string;
  readonly isWanted: boolean;
  readonly language: Language;
}

/** The choices of all members, or of one. */
export async function listPreferences(tx: Tx, profileId: string, userId?: string): Promise<AlertPreference[]> {
  const { rows } = await sql<AlertPreference>`
    SELECT user_id AS "userId", is_wanted AS "isWanted", language FROM alert_wishes
    WHERE profile_id = ${profileId} ${userId === undefined ? sql`` : sql`AND user_id = ${userId}`}`.execute(tx);
  return rows;
}

/** Unsubscribing also deletes the member's waiting mails. */
export async function savePreference(
  tx: Tx,
  profileId: string,
  { userId, isWanted, language }: AlertPreference,
): Promise<void> {
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
  to: readonly Pick<AlertPreference, 'userId' | 'language'>[],
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

/**
 * Mails about the end go to everyone who received, or may have received, the mail about the start. Waiting mails about the start are
 * deleted.
 */
export async function insertEndMails(tx: Tx, { profileId, id }: AlertRow, at: Date): Promise<void> {
  const ofAlert = sql`profile_id = ${profileId} AND alert_id = ${id}`;
  await sql`DELETE FROM alert_mails WHERE ${ofAlert} AND state = 'waiting'`.execute(tx);
  await sql`
    INSERT INTO alert_mails (profile_id, alert_id, moment, user_id, language, made_at, state, due_at)
    SELECT profile_id, alert_id, 'ended', user_id, language, ${at}, 'waiting', ${at} FROM alert_mails m
    WHERE ${ofAlert} AND (state IN ('sent', 'sending') OR reason = 'unclear')
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

/** Identifies a mail: alert, moment and recipient. */
export type MailKey = Pick<AlertMailRow, 'id' | 'moment' | 'userId'>;

/** The location of a mail's state. */
export const mailLocationOf = (profileId: string, { id, moment, userId }: MailKey): MailLocation => ({
  table: sql`alert_mails`,
  row: sql`profile_id = ${profileId} AND alert_id = ${id} AND moment = ${moment} AND user_id = ${userId}`,
});
