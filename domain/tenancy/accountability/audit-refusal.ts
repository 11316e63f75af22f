import type { Route } from '@tributary/contract';
import { actorOf, type Caller, type Refusal } from '@tributary/operations';
import type { Postgres } from '@tributary/postgres';
import { appendEntry } from './store.ts';

/**
 * Logs a forbidden change attempt in the audit chain of the caller's workspace. Writes at most one entry a minute per credential, route and
 * reason, so that a misconfigured sender cannot flood the log. Refused reads of personal data are in the access log instead.
 */
export function refusalAuditor(postgres: Postgres, isFirstOfMinute: (subject: string) => Promise<boolean>) {
  return async (route: Route, caller: Caller, { code }: Refusal, requestId: string, now: Date): Promise<void> => {
    const { workspaceId, credentialId } = caller;
    if (!workspaceId || route.method === 'GET') return;
    if (!(await isFirstOfMinute(`${credentialId}:${route.id}:${code}`))) return;
    await postgres.forWorkspace(workspaceId).transaction((tx) =>
      appendEntry(tx, {
        log: { workspaceId },
        actor: actorOf(caller),
        action: route.id,
        target: route.path,
        result: 'refused',
        detail: { code },
        requestId,
        at: now,
      }),
    );
  };
}
