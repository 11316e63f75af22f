import type { AuditEntry } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { sql } from 'kysely';

/** Appends an entry to the hash chain of its log. */
export async function appendEntry(tx: Tx, entry: AuditEntry): Promise<void> {
  const { log, actor, action, target, result, detail, requestId, at } = entry;
  const fields = sql`${at}, ${actor.kind}, ${actor.id}, ${action}, ${result}, ${target}, ${JSON.stringify(detail)}::jsonb, ${requestId}`;
  await (log === 'installation'
    ? sql`SELECT append_installation_audit(${fields})`
    : sql`SELECT append_audit(${log.workspaceId}, ${fields})`
  ).execute(tx);
}

export interface Link {
  readonly sequence: string;
  /** The text that the hash covers, together with the previous hash. */
  readonly text: string;
  readonly previous_hash: Buffer;
  readonly hash: Buffer;
}

export async function readLinks(tx: Tx, log: AuditEntry['log'], after: bigint, limit: number): Promise<Link[]> {
  const [workspace, links] =
    log === 'installation'
      ? [sql`NULL`, sql`installation_audit_log WHERE true`]
      : [sql`workspace_id`, sql`audit_log WHERE workspace_id = ${log.workspaceId}`];
  const { rows } = await sql<Link>`
    SELECT sequence, previous_hash, hash, jsonb_build_array(
      ${workspace}, sequence, (extract(epoch FROM at) * 1000)::bigint, actor_kind, actor_id, action, result, target, detail, request_id
    )::text AS text
    FROM ${links} AND sequence > ${after} ORDER BY sequence LIMIT ${limit}`.execute(tx);
  return rows;
}

/** Accesses to personal data in the workspace, newest first. */
export function listAccesses(
  tx: Tx,
  workspaceId: string,
  before: { readonly at: Date; readonly id: string } | undefined,
  limit: number,
) {
  let entries = tx
    .selectFrom('pii_access_log')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
  if (before) entries = entries.where(sql<boolean>`(at, id) < (${before.at}, ${before.id})`);
  return entries.execute();
}

/** Audit entries of the workspace, newest first. */
export function listEntries(tx: Tx, workspaceId: string, before: string | undefined, limit: number) {
  let entries = tx
    .selectFrom('audit_log')
    .select(['sequence', 'at', 'actor_kind', 'actor_id', 'action', 'target', 'result', 'request_id'])
    .where('workspace_id', '=', workspaceId)
    .orderBy('sequence', 'desc')
    .limit(limit);
  if (before !== undefined) entries = entries.where('sequence', '<', before);
  return entries.execute();
}
