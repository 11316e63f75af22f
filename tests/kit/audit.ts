import type { AuditLog } from '@tributary/operations';
import type { Testkit } from './testkit.ts';

/** Returns the entries of an audit log, oldest first. */
export function auditEntries({ app, owner }: Pick<Testkit, 'app' | 'owner'>, log: AuditLog) {
  const columns = ['actor_kind', 'actor_id', 'action', 'result', 'target', 'detail', 'request_id'] as const;
  return log === 'installation'
    ? owner.unbound.transaction((tx) =>
        tx.selectFrom('installation_audit_log').select(columns).orderBy('sequence').execute(),
      )
    : app
        .forWorkspace(log.workspaceId)
        .transaction((tx) => tx.selectFrom('audit_log').select(columns).orderBy('sequence').execute());
}
