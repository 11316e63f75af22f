import { type AnnouncedData, events, isLiveEvent, type LiveEventName } from '@tributary/contract';
import type { Tx } from '@tributary/postgres';
import { sql } from 'kysely';

/** An event that the contract declares, with its declared data. */
export type Announcement = {
  [Name in LiveEventName]: {
    /** Stable: every announcement of the same occurrence uses the same id. */
    readonly id: string;
    readonly type: Name;
    readonly data: AnnouncedData<Name>;
    readonly occurredAt: Date;
  };
}[LiveEventName];

/**
 * Writes events to the outbox; they are delivered if and only if this transaction commits. Undeclared data is refused at runtime too, because
 * the compiler can be bypassed and a delivery to a third party cannot be recalled.
 */
export async function announce(tx: Tx, announcements: readonly Announcement[]): Promise<void> {
  if (announcements.length === 0) return;
  // As JSON, so that the statement has the same text and one parameter for any number of events.
  await sql`
    INSERT INTO outbox (id, profile_id, type, payload, occurred_at)
    SELECT id, (data->>'profile_id')::uuid, type, data, "occurredAt"
    FROM jsonb_to_recordset(${JSON.stringify(announcements.map(asDeclared))}::jsonb)
      AS e (id uuid, type text, data jsonb, "occurredAt" timestamptz)`.execute(tx);
}

function asDeclared({ id, type, data, occurredAt }: Announcement) {
  if (!isLiveEvent(type)) throw new TypeError(`There is no event "${type}" that fires.`);
  const read = events[type].announced.safeParse(data);
  if (read.success) return { id, type, data: read.data, occurredAt };
  // Reports the path of the invalid field, not its value: it could be personal data.
  const [fault] = read.error.issues;
  throw new TypeError(
    `The event ${type} does not hold what it declares: ${['data', ...(fault?.path ?? [])].join('.')} (${fault?.code}).`,
  );
}
