import { sql } from 'kysely';
import type { Tx } from './ledger.ts';
import type { Json } from './schema.generated.ts';

export interface OutboxEvent {
  readonly id: string;
  readonly profileId: string;
  readonly type: string;
  /** Ids and facts only, never a person. */
  readonly payload: Json;
  readonly occurredAt: Date;
}

/** Announces events; they exist for others if and only if this transaction commits. */
export async function announce(tx: Tx, events: readonly OutboxEvent[]): Promise<void> {
  if (events.length === 0) return;
  // As JSON: one parameter and one text of the statement, however many events.
  await sql`
    INSERT INTO outbox (id, profile_id, type, payload, occurred_at)
    SELECT id, "profileId", type, payload, "occurredAt"
    FROM jsonb_to_recordset(${JSON.stringify(events)}::jsonb)
      AS e (id uuid, "profileId" uuid, type text, payload jsonb, "occurredAt" timestamptz)`.execute(tx);
}
