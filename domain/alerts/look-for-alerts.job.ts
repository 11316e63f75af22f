import { listRoles } from '@tributary/domain/accounts';
import { announce } from '@tributary/domain/events';
import { findWorkspaceOf, isAppProvisioned, isHealthcareProfile, isServed } from '@tributary/domain/tenants';
import type { Tx } from '@tributary/postgres';
import { type AlertKind, alertedRoles, alertKindNames, nilUuid } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import {
  type AlertRow,
  endAlert,
  findOpenOf,
  insertAlert,
  insertEndMails,
  insertMails,
  listOpenOf,
  listWishes,
  type Wish,
} from './store.ts';
import { type Cause, profilesAtOnce, type Watched, watches } from './watch.ts';

export interface AlertWork extends Watched {
  /** Without a mail server nothing is left to be sent. */
  readonly isMailSetUp: boolean;
}

/**
 * Opens alerts whose cause holds and ends those whose cause is over. Each is told in the transaction that opens or ends it, so a worker
 * that dies and another that looks at the same time tell nobody twice. Resolves to how many were opened and ended.
 */
export async function lookForAlerts(work: AlertWork): Promise<{ readonly opened: number; readonly ended: number }> {
  let [opened, ended] = [0, 0];
  for (const kind of alertKindNames) {
    ended += await endThose(work, kind);
    opened += await openThose(work, kind);
  }
  return { opened, ended };
}

async function openThose(work: AlertWork, kind: AlertKind): Promise<number> {
  let opened = 0;
  for (let after: string | undefined = nilUuid; after !== undefined; ) {
    work.signal.throwIfAborted();
    const { causes, next } = await watches[kind].find(work, after);
    const known = await findOpenOf(
      work.system.unbound,
      kind,
      causes.map(({ profileId }) => profileId),
    );
    for (const cause of causes) if (!known.has(cause.profileId) && (await openOne(work, kind, cause))) opened += 1;
    after = next;
  }
  return opened;
}

async function openOne(work: AlertWork, kind: AlertKind, { profileId, since: found }: Cause): Promise<boolean> {
  const { app, now } = work;
  const { confirm } = watches[kind];
  const workspaceId = await app.forProfile(profileId).transaction((tx) => findWorkspaceOf(tx, profileId));
  if (!workspaceId) return false;
  return app.behind({ profileId, workspaceId }).transaction(async (tx) => {
    const since = confirm ? await confirm(tx, work, profileId) : found;
    if (!since || !(await isServed(tx, profileId))) return false;
    const alert = await insertAlert(tx, { profileId, kind, since, openedAt: now });
    if (!alert) return false;
    await announce(tx, [{ id: uuid(), type: 'alert.opened', data: dataOf(alert), occurredAt: now }]);
    const isMailed = work.isMailSetUp && !(await isAppProvisioned(tx, workspaceId));
    if (isMailed && !(await isHealthcareProfile(tx, profileId)))
      await insertMails(tx, alert, await findRecipients(tx, profileId, workspaceId), now);
    return true;
  });
}

/** Whoever said so, and of those who said nothing whoever answers for the workspace. */
async function findRecipients(
  tx: Tx,
  profileId: string,
  workspaceId: string,
): Promise<Pick<Wish, 'userId' | 'language'>[]> {
  const wishes = new Map((await listWishes(tx, profileId)).map((wish) => [wish.userId, wish]));
  return (await listRoles(tx, workspaceId))
    .filter(({ userId, role }) => wishes.get(userId)?.isWanted ?? alertedRoles.includes(role))
    .map(({ userId }) => ({ userId, language: wishes.get(userId)?.language ?? 'en' }));
}

async function endThose(work: AlertWork, kind: AlertKind): Promise<number> {
  let ended = 0;
  for (let after: string | undefined = nilUuid; after !== undefined; ) {
    work.signal.throwIfAborted();
    const open: AlertRow[] = await listOpenOf(work.system.unbound, kind, { after, limit: profilesAtOnce });
    for (const alert of await watches[kind].findOver(work, open)) if (await endOne(work, alert)) ended += 1;
    after = open.length < profilesAtOnce ? undefined : open.at(-1)?.profileId;
  }
  return ended;
}

async function endOne({ app, now }: AlertWork, alert: AlertRow): Promise<boolean> {
  return app.forProfile(alert.profileId).transaction(async (tx) => {
    if (!(await endAlert(tx, alert, now))) return false;
    const data = { ...dataOf(alert), ended_at: now.toISOString() };
    await announce(tx, [{ id: uuid(), type: 'alert.ended', data, occurredAt: now }]);
    await insertEndMails(tx, alert, now);
    return true;
  });
}

const dataOf = ({ profileId, id, kind, since, openedAt }: AlertRow) => ({
  profile_id: profileId,
  alert_id: id,
  kind,
  since: since.toISOString(),
  opened_at: openedAt.toISOString(),
});
