import type { Route } from '@tributary/contract';
import { actorOf, type Caller, type Refusal } from '@tributary/operations';
import type { Postgres } from '@tributary/postgres';
import { appendEntry } from './store.ts';

/**
 * Writes a forbidden attempt to change something into the chain of the caller's workspace. One entry stands for what the
 * same credential is refused on the same route for the same reason within a minute: a misconfigured sender must not be able
 * to bury the log. (Refused reads of people are in the log of reads.)
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
