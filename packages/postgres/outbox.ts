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
  await tx
    .insertInto('outbox')
    .values(
      events.map(({ id, profileId, type, payload, occurredAt }) => ({
        id,
        profile_id: profileId,
        type,
        payload: JSON.stringify(payload),
        occurred_at: occurredAt,
      })),
    )
    .execute();
}
