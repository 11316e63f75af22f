import type { Caller } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { sql } from 'kysely';

export interface AuditEntry {
  readonly workspaceId: string;
  readonly action: string;
  readonly target: string;
  readonly result?: 'done' | 'refused';
  /** Ids and words of our own, never a person. */
  readonly detail?: Readonly<Record<string, string | number | boolean | readonly string[] | null>>;
}

/** Adds a link to the workspace's chain, in the transaction of what it tells of. */
export async function audit(
  tx: Tx,
  caller: Pick<Caller, 'kind' | 'credentialId' | 'userId'>,
  requestId: string,
  now: Date,
  entry: AuditEntry,
): Promise<void> {
  const { workspaceId, action, target, result = 'done', detail = {} } = entry;
  const actor = caller.userId ? { kind: 'user', id: caller.userId } : { kind: caller.kind, id: caller.credentialId };
  await sql`
    SELECT append_audit(${workspaceId}, ${now}, ${actor.kind}, ${actor.id}, ${action}, ${result}, ${target}, ${JSON.stringify(detail)}::jsonb, ${requestId})
  `.execute(tx);
}
