import type { Route } from '@tributary/contract';
import type { Postgres, Tx } from '@tributary/postgres';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { admit } from './admission.ts';
import { type Caller, refuse } from './handler.ts';

/** Bytes that do not leave in this time are not sent at all: a switch of privacy waits for them. */
const holdMs = 5_000;
/** Behind a switch that itself waits for somebody's last bytes, whoever comes later waits longer than that. */
const waitMs = 2 * holdMs;
/** What PostgreSQL calls a lock that did not come in time. */
const lockNotAvailable = '55P03';

/**
 * The one place that personal data passes on its way out. First the access is written down, or nothing is sent. Then the
 * privacy lock is held, shared, while the caller's credential, grant and the profile's privacy are looked at once more and until
 * the bytes are with the socket: a switch to healthcare takes the lock alone, so that nothing leaves after it has committed.
 * Resolves to what releases the lock.
 */
export async function passPersonGate(
  postgres: Postgres,
  route: Route,
  caller: Caller,
  people: ReadonlySet<string>,
  requestId: string,
  now: Date,
  giveUp: () => void,
): Promise<() => void> {
  await recordAccess(postgres, route, caller, people.size, 'served', requestId, now);
  const held = Promise.withResolvers<void>();
  const passed = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;
  const release = () => {
    clearTimeout(timer);
    held.resolve();
  };
  postgres.unbound
    .transaction(async (tx) => {
      await holdPrivacyLock(tx, caller);
      const fresh = await caller.recheck(tx, now);
      if (!fresh) refuse('unauthorized', 'The credential was revoked while the request was at work.');
      admit(route, fresh);
      admitAsBefore(route, caller, fresh);
      // Only from here on can anything leave. What has not left by then must not leave once the lock is gone.
      timer = setTimeout(() => {
        giveUp();
        held.resolve();
      }, holdMs);
      passed.resolve();
      await held.promise;
    })
    .catch(passed.reject);
  try {
    await passed.promise;
  } catch (error) {
    release();
    await recordAccess(postgres, route, caller, people.size, 'refused', requestId, now);
    throw error;
  }
  return release;
}

/** Where any of several scopes is enough, the answer was made for those held then: it must not leave for fewer. */
function admitAsBefore({ access }: Route, before: Caller, now: Caller): void {
  const lost = (access.scopes ?? []).flat().filter((scope) => before.scopes.has(scope) && !now.scopes.has(scope));
  if (lost.length === 0) return;
  refuse('insufficient_scope', `The credential lost the scope ${lost.join(', ')} while the request was at work.`, {
    fields: { required_scopes: lost },
  });
}

export function recordRefusedRead(
  postgres: Postgres,
  route: Route,
  caller: Caller,
  requestId: string,
  now: Date,
): Promise<void> {
  return recordAccess(postgres, route, caller, 0, 'refused', requestId, now);
}

async function holdPrivacyLock(tx: Tx, { profileId, workspaceId }: Caller): Promise<void> {
  await sql.raw(`SET LOCAL lock_timeout = ${waitMs}`).execute(tx);
  await sql`
    SELECT pg_advisory_xact_lock_shared(privacy_lock(id)) FROM unnest(${[workspaceId, profileId]}::uuid[]) AS id WHERE id IS NOT NULL
  `
    .execute(tx)
    .catch((error: { code?: string }) => {
      if (error.code !== lockNotAvailable) throw error;
      refuse('service_unavailable', 'The profile’s privacy is being switched. Try again in some seconds.');
    });
}

async function recordAccess(
  postgres: Postgres,
  route: Route,
  { kind, credentialId, userId, profileId, workspaceId }: Caller,
  people: number,
  result: 'served' | 'refused',
  requestId: string,
  now: Date,
): Promise<void> {
  if (!profileId || !workspaceId) return;
  await postgres.forProfile(profileId).transaction((tx) =>
    tx
      .insertInto('pii_access_log')
      .values({
        workspace_id: workspaceId,
        profile_id: profileId,
        id: uuid(),
        at: now,
        actor_kind: userId ? 'user' : kind,
        actor_id: userId ?? credentialId,
        operation: route.id,
        people,
        result,
        request_id: requestId,
      })
      .execute(),
  );
}
