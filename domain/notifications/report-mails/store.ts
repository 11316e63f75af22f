import type { Tx } from '@tributary/postgres';
import type { AttributionModel, Language, MailedPage, MailFailure, MailRhythm, MailState } from '@tributary/vocabulary';
import { limits } from '@tributary/vocabulary';
import { sql } from 'kysely';
import type { MailLocation } from './send-once.ts';

export interface MailRow {
  readonly id: string;
  readonly page: MailedPage;
  readonly model: AttributionModel;
  readonly every: MailRhythm;
  readonly language: Language;
  readonly recipients: readonly string[];
  readonly madeBy: string;
  readonly createdAt: Date;
  readonly dueAt: Date;
}

/** The results of the latest deliveries. */
export interface LastRow {
  readonly mailId: string;
  readonly at: Date;
  readonly from: string;
  readonly to: string;
  readonly sent: number;
  readonly waiting: number;
  readonly failed: number;
  readonly reason: MailFailure | null;
}

const columns = sql`id, page, model, every, language, recipients, made_by AS "madeBy", created_at AS "createdAt", due_at AS "dueAt"`;

/** The local midnight that begins the day, week or month in the profile's time zone. */
const periodStart = (every: MailRhythm, at: Date, timeZone: string) =>
  sql`date_trunc(${every}::text, ${at}::timestamptz AT TIME ZONE ${timeZone})`;

/** The first due time after a moment. */
export async function nextDue(tx: Tx, every: MailRhythm, at: Date, timeZone: string): Promise<Date> {
  const { rows } = await sql<{ due: Date }>`
    SELECT min(due) AS due FROM (
      SELECT (${periodStart(every, at, timeZone)} + step * ('1 ' || ${every}::text)::interval
        + make_interval(hours => ${limits.reportMails.hour})) AT TIME ZONE ${timeZone} AS due
      FROM generate_series(0, 2) AS step) AS moments
    WHERE due > ${at}`.execute(tx);
  return rows[0]?.due ?? at;
}

export interface Days {
  readonly from: string;
  readonly to: string;
}

/** The last complete day, week or month in the profile's time zone. */
export async function lastDays(tx: Tx, every: MailRhythm, at: Date, timeZone: string): Promise<Days> {
  const start = periodStart(every, at, timeZone);
  const { rows } = await sql<Days>`
    SELECT (${start} - ('1 ' || ${every}::text)::interval)::date::text AS "from", (${start}::date - 1)::text AS "to"`.execute(
    tx,
  );
  return rows[0] ?? { from: '', to: '' };
}

export async function insertMail(tx: Tx, profileId: string, mail: MailRow): Promise<void> {
  await sql`
    INSERT INTO report_mails (profile_id, id, page, model, every, language, recipients, made_by, created_at, due_at)
    VALUES (${profileId}, ${mail.id}, ${mail.page}, ${mail.model}, ${mail.every}, ${mail.language},
      ${[...mail.recipients]}::uuid[], ${mail.madeBy}, ${mail.createdAt}, ${mail.dueAt})`.execute(tx);
}

export async function countMails(tx: Tx, profileId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM report_mails WHERE profile_id = ${profileId}`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** Newest first. */
export async function listMails(tx: Tx, profileId: string): Promise<MailRow[]> {
  const { rows } = await sql<MailRow>`
    SELECT ${columns} FROM report_mails WHERE profile_id = ${profileId}
    ORDER BY id DESC LIMIT ${limits.reportMails.most}`.execute(tx);
  return rows;
}

/** Locks one mail until the transaction ends, so that no other process sends it. */
export async function lockMail(tx: Tx, profileId: string, id: string): Promise<MailRow | undefined> {
  const { rows } = await sql<MailRow>`
    SELECT ${columns} FROM report_mails WHERE profile_id = ${profileId} AND id = ${id} FOR UPDATE`.execute(tx);
  return rows[0];
}

export async function listLast(tx: Tx, profileId: string): Promise<LastRow[]> {
  const { rows } = await sql<LastRow>`
    SELECT d.mail_id AS "mailId", d.sent_for AS at, min(d.date_from)::text AS "from", min(d.date_to)::text AS "to",
      count(*) FILTER (WHERE d.state = 'sent')::int AS sent, count(*) FILTER (WHERE d.state IN ('waiting', 'sending'))::int AS waiting,
      count(*) FILTER (WHERE d.state = 'failed')::int AS failed, min(d.reason) AS reason
    FROM report_mails m
    CROSS JOIN LATERAL (
      SELECT sent_for FROM report_mail_deliveries WHERE profile_id = ${profileId} AND mail_id = m.id
      ORDER BY sent_for DESC LIMIT 1) AS latest
    JOIN report_mail_deliveries d ON d.profile_id = ${profileId} AND d.mail_id = m.id AND d.sent_for = latest.sent_for
    WHERE m.profile_id = ${profileId}
    GROUP BY d.mail_id, d.sent_for`.execute(tx);
  return rows;
}

/** Also deletes waiting deliveries. Returns false if the mail does not exist. */
export async function removeMail(tx: Tx, profileId: string, id: string): Promise<boolean> {
  const { rows } = await sql`
    DELETE FROM report_mails WHERE profile_id = ${profileId} AND id = ${id} RETURNING id`.execute(tx);
  return rows.length > 0;
}

/** Deletes the mails that a member created, when the member is removed with everything they created. */
export async function removeMailsOf(tx: Tx, profileId: string, userId: string): Promise<void> {
  await sql`DELETE FROM report_mails WHERE profile_id = ${profileId} AND made_by = ${userId}`.execute(tx);
}

/** The number of remaining recipients; undefined if the mail does not exist or the member is not a recipient. */
export async function removeRecipient(
  tx: Tx,
  profileId: string,
  id: string,
  userId: string,
): Promise<number | undefined> {
  const { rows } = await sql<{ left: number }>`
    UPDATE report_mails SET recipients = array_remove(recipients, ${userId}::uuid)
    WHERE profile_id = ${profileId} AND id = ${id} AND ${userId}::uuid = ANY (recipients)
    RETURNING cardinality(recipients) AS left`.execute(tx);
  await sql`
    DELETE FROM report_mail_deliveries
    WHERE profile_id = ${profileId} AND mail_id = ${id} AND user_id = ${userId} AND state = 'waiting'`.execute(tx);
  return rows[0]?.left;
}

// ── Sending ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Mails that are due. */
export async function listDueMails(tx: Tx, profileId: string, at: Date, limit: number): Promise<MailRow[]> {
  const { rows } = await sql<MailRow>`
    SELECT ${columns} FROM report_mails WHERE profile_id = ${profileId} AND due_at <= ${at}
    ORDER BY due_at, id LIMIT ${limit}`.execute(tx);
  return rows;
}

/** Returns false if another worker was first. */
export async function moveDueAt(tx: Tx, profileId: string, mail: MailRow, next: Date): Promise<boolean> {
  const { rows } = await sql`
    UPDATE report_mails SET due_at = ${next} WHERE profile_id = ${profileId} AND id = ${mail.id} AND due_at = ${mail.dueAt}
    RETURNING id`.execute(tx);
  return rows.length > 0;
}

export async function insertDeliveries(
  tx: Tx,
  profileId: string,
  mail: MailRow,
  days: Days,
  userIds: readonly string[],
  at: Date,
): Promise<void> {
  await sql`
    INSERT INTO report_mail_deliveries (profile_id, mail_id, sent_for, user_id, date_from, date_to, state, due_at)
    SELECT ${profileId}, ${mail.id}, ${mail.dueAt}, u, ${days.from}, ${days.to}, 'waiting', ${at}
    FROM unnest(${[...userIds]}::uuid[]) AS u
    ON CONFLICT DO NOTHING`.execute(tx);
}

export interface DeliveryRow extends Days {
  readonly mailId: string;
  readonly sentFor: Date;
  readonly userId: string;
  readonly state: MailState;
  readonly page: MailedPage;
  readonly model: AttributionModel;
  readonly every: MailRhythm;
  readonly language: Language;
}

export async function listDueDeliveries(tx: Tx, profileId: string, at: Date, limit: number): Promise<DeliveryRow[]> {
  const { rows } = await sql<DeliveryRow>`
    SELECT d.mail_id AS "mailId", d.sent_for AS "sentFor", d.user_id AS "userId", d.state, d.date_from::text AS "from", d.date_to::text AS "to",
      m.page, m.model, m.every, m.language
    FROM report_mail_deliveries d JOIN report_mails m ON m.profile_id = d.profile_id AND m.id = d.mail_id
    WHERE d.profile_id = ${profileId} AND d.due_at <= ${at} AND d.state IN ('waiting', 'sending')
    ORDER BY d.due_at, d.mail_id, d.user_id LIMIT ${limit}`.execute(tx);
  return rows;
}

/** The location of a delivery's state. */
export const mailLocationOf = (
  profileId: string,
  { mailId, sentFor, userId }: { readonly mailId: string; readonly sentFor: Date | string; readonly userId: string },
): MailLocation => ({
  table: sql`report_mail_deliveries`,
  row: sql`profile_id = ${profileId} AND mail_id = ${mailId} AND sent_for = ${sentFor} AND user_id = ${userId}`,
});
