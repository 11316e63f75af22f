import { createHash } from 'node:crypto';
import type { Ledger } from '@tributary/postgres';
import { sql } from 'kysely';

export interface AuditVerdict {
  readonly entries: number;
  /** The first entry that does not follow from the one before it; undefined when the chain holds. */
  readonly brokenAt: string | undefined;
  /** The last hash: kept elsewhere, it proves later that nothing was cut off the end. */
  readonly head: string;
}

const pageSize = 5_000;

/** Recomputes the chain of one workspace from its entries, a page at a time. */
export async function verifyAudit(ledger: Ledger, workspaceId: string): Promise<AuditVerdict> {
  let previous: Buffer = Buffer.alloc(0);
  let sequence = 0n;
  while (true) {
    const { rows } = await ledger.transaction((tx) =>
      sql<{ sequence: string; text: string; previous_hash: Buffer; hash: Buffer }>`
        SELECT sequence, previous_hash, hash, jsonb_build_array(
          workspace_id, sequence, (extract(epoch FROM at) * 1000)::bigint, actor_kind, actor_id, action, result, target, detail, request_id
        )::text AS text
        FROM audit_log WHERE workspace_id = ${workspaceId} AND sequence > ${sequence} ORDER BY sequence LIMIT ${pageSize}`.execute(
        tx,
      ),
    );
    for (const row of rows) {
      const hash = createHash('sha256').update(previous).update(row.text).digest();
      const follows =
        BigInt(row.sequence) === sequence + 1n && row.previous_hash.equals(previous) && row.hash.equals(hash);
      if (!follows) return { entries: Number(sequence), brokenAt: row.sequence, head: previous.toString('hex') };
      previous = row.hash;
      sequence += 1n;
    }
    if (rows.length < pageSize)
      return { entries: Number(sequence), brokenAt: undefined, head: previous.toString('hex') };
  }
}
