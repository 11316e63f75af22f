import { type Mailer, MailFailed } from '@tributary/outbound';
import type { Ledger, Tx } from '@tributary/postgres';
import { limits, type MailFailure, type MailState, minuteMs } from '@tributary/vocabulary';
import { type RawBuilder, sql } from 'kysely';

/** Where it is kept how a mail stands: a row with `state`, `reason`, `attempts` and `due_at`, of the room that sends it. */
export interface MailPlace {
  readonly table: RawBuilder<unknown>;
  /** Which row of it. */
  readonly row: RawBuilder<unknown>;
}

export type MailOutcome =
  | { readonly state: 'sent' }
  | { readonly state: 'failed'; readonly reason: MailFailure }
  | { readonly state: 'waiting'; readonly reason: MailFailure; readonly again: Date };

export interface Sending {
  readonly ledger: Ledger;
  /** Absent where the operator has set no mail server. */
  readonly mailer: Mailer | undefined;
  readonly now: () => Date;
  readonly hold: (tx: Tx) => Promise<void>;
}

/** A worker that sends for so long is taken for dead; the mail server's own patience is shorter. */
const claimMs = 5 * minuteMs;

/** Sends a mail at most once: it says so before it begins, and what may have arrived is not sent again. */
export async function sendOnce(
  { ledger, mailer, now, hold }: Sending,
  place: MailPlace,
  mail: Parameters<Mailer['send']>[0],
): Promise<void> {
  const attempt = await ledger.transaction(async (tx) => {
    await hold(tx);
    return claim(tx, place, new Date(+now() + claimMs));
  });
  if (attempt === undefined) return;
  const failed = await (mailer ? mailer.send(mail).then(() => undefined, faultOf) : 'not_set_up');
  const outcome: MailOutcome = failed === undefined ? { state: 'sent' } : afterFailure(failed, attempt, now());
  await ledger.transaction((tx) => settleMail(tx, place, outcome));
}

/** Says that it is being sent, before it is. Which attempt it is; undefined where somebody else has begun or it was stopped. */
async function claim(tx: Tx, { table, row }: MailPlace, until: Date): Promise<number | undefined> {
  const { rows } = await sql<{ attempts: number }>`
    UPDATE ${table} SET state = 'sending', attempts = attempts + 1, due_at = ${until}
    WHERE ${row} AND state = 'waiting'
    RETURNING attempts`.execute(tx);
  return rows[0]?.attempts;
}

export async function settleMail(tx: Tx, place: MailPlace, outcome: MailOutcome): Promise<void> {
  const reason = outcome.state === 'sent' ? null : outcome.reason;
  await putState(tx, place, outcome.state, reason, outcome.state === 'waiting' ? outcome.again : 'infinity');
}

/** So that it is not tried any more, because something is wrong with it itself. */
export const setMailAside = (tx: Tx, place: MailPlace): Promise<void> =>
  putState(tx, place, 'failed', 'fault', 'infinity');

export const putMailBack = (tx: Tx, place: MailPlace): Promise<void> =>
  putState(tx, place, 'waiting', null, '-infinity');

async function putState(
  tx: Tx,
  { table, row }: MailPlace,
  state: MailState,
  reason: MailFailure | null,
  due: Date | 'infinity' | '-infinity',
): Promise<void> {
  await sql`UPDATE ${table} SET state = ${state}, reason = ${reason}, due_at = ${due} WHERE ${row}`.execute(tx);
}

function faultOf(error: unknown): MailFailure {
  if (error instanceof MailFailed) return error.fault;
  throw error;
}

/** What certainly did not arrive is tried again; what the server refused for good is not. */
function afterFailure(reason: MailFailure, attempt: number, now: Date): MailOutcome {
  const { attempts, againMinutes } = limits.reportMails;
  const isPassing = reason === 'unreachable' || reason === 'not_set_up';
  if (!isPassing || attempt >= attempts) return { state: 'failed', reason };
  return { state: 'waiting', reason, again: new Date(+now + againMinutes * 2 ** (attempt - 1) * minuteMs) };
}
