import { type Mailer, MailFailed } from '@tributary/outbound';
import type { Ledger, Tx } from '@tributary/postgres';
import { limits, type MailFailure, type MailState, minuteMs } from '@tributary/vocabulary';
import { type RawBuilder, sql } from 'kysely';

/** The row that stores a mail's state, with `state`, `reason`, `attempts` and `due_at`, in a table of the sending module. */
export interface MailLocation {
  readonly table: RawBuilder<unknown>;
  /** Condition that selects the row. */
  readonly row: RawBuilder<unknown>;
}

export type MailOutcome =
  | { readonly state: 'sent' }
  | { readonly state: 'failed'; readonly reason: MailFailure }
  | { readonly state: 'waiting'; readonly reason: MailFailure; readonly again: Date };

export interface MailSender {
  readonly ledger: Ledger;
  /** Undefined if the operator configured no mail server. */
  readonly mailer: Mailer | undefined;
  readonly now: () => Date;
  readonly hold: (tx: Tx) => Promise<void>;
}

/** After this time a sending worker counts as dead; the mail server's own timeout is shorter. */
const claimMs = 5 * minuteMs;

/** Sends a mail at most once: it is marked before sending, and a mail that may have arrived is never sent again. */
export async function sendOnce(
  { ledger, mailer, now, hold }: MailSender,
  location: MailLocation,
  mail: Parameters<Mailer['send']>[0],
): Promise<void> {
  const attempt = await ledger.transaction(async (tx) => {
    await hold(tx);
    return claim(tx, location, new Date(+now() + claimMs));
  });
  if (attempt === undefined) return;
  const failed = await (mailer ? mailer.send(mail).then(() => undefined, faultOf) : 'not_set_up');
  const outcome: MailOutcome = failed === undefined ? { state: 'sent' } : afterFailure(failed, attempt, now());
  await ledger.transaction((tx) => settleMail(tx, location, outcome));
}

/** Marks the mail as sending. Returns the attempt number; undefined if another worker has begun or it was cancelled. */
async function claim(tx: Tx, { table, row }: MailLocation, until: Date): Promise<number | undefined> {
  const { rows } = await sql<{ attempts: number }>`
    UPDATE ${table} SET state = 'sending', attempts = attempts + 1, due_at = ${until}
    WHERE ${row} AND state = 'waiting'
    RETURNING attempts`.execute(tx);
  return rows[0]?.attempts;
}

export async function settleMail(tx: Tx, location: MailLocation, outcome: MailOutcome): Promise<void> {
  const reason = outcome.state === 'sent' ? null : outcome.reason;
  await putState(tx, location, outcome.state, reason, outcome.state === 'waiting' ? outcome.again : 'infinity');
}

/** Parks the mail because of a fault of its own. */
export const parkMail = (tx: Tx, location: MailLocation): Promise<void> =>
  putState(tx, location, 'failed', 'fault', 'infinity');

export const unparkMail = (tx: Tx, location: MailLocation): Promise<void> =>
  putState(tx, location, 'waiting', null, '-infinity');

async function putState(
  tx: Tx,
  { table, row }: MailLocation,
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

/** Retries a mail that certainly did not arrive, but not one that the server refused permanently. */
function afterFailure(reason: MailFailure, attempt: number, now: Date): MailOutcome {
  const { attempts, againMinutes } = limits.reportMails;
  const isPassing = reason === 'unreachable' || reason === 'not_set_up';
  if (!isPassing || attempt >= attempts) return { state: 'failed', reason };
  return { state: 'waiting', reason, again: new Date(+now + againMinutes * 2 ** (attempt - 1) * minuteMs) };
}
