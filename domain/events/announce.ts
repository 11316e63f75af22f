import { type AnnouncedData, events, isLiveEvent, type LiveEventName } from '@tributary/contract';
import type { Tx } from '@tributary/postgres';
import { sql } from 'kysely';

/** Something that happened: an event of the contract's table, with the data that it declares. */
export type Announcement = {
  [Name in LiveEventName]: {
    /** The same for the same happening, however often it is told. */
    readonly id: string;
    readonly type: Name;
    readonly data: AnnouncedData<Name>;
    readonly occurredAt: Date;
  };
}[LiveEventName];

/**
 * Announces events; they exist for others if and only if this transaction commits. What the table does not declare is refused, also
 * where the compiler was got round: a delivery leaves the house, and nobody calls it back.
 */
export async function announce(tx: Tx, announcements: readonly Announcement[]): Promise<void> {
  if (announcements.length === 0) return;
  // As JSON: one parameter and one text of the statement, however many events.
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
  // Where it is wrong, and not what stands there: that could be a person.
  const [fault] = read.error.issues;
  throw new TypeError(
    `The event ${type} does not hold what it declares: ${['data', ...(fault?.path ?? [])].join('.')} (${fault?.code}).`,
  );
}
