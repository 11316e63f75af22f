import { listRoles } from '@tributary/domain/tenancy/accounts';
import { announce } from '@tributary/domain/tenancy/events';
import {
  findWorkspaceOf,
  isActiveProfile,
  isAppProvisioned,
  isHealthcareProfile,
} from '@tributary/domain/tenancy/tenants';
import type { Tx } from '@tributary/postgres';
import { type AlertKind, alertedRoles, alertKindNames, nilUuid } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { type AlertSources, alertRules, type Cause, profilesAtOnce } from './alert-rules.ts';
import {
  type AlertPreference,
  type AlertRow,
  endAlert,
  findOpenOf,
  insertAlert,
  insertEndMails,
  insertMails,
  listOpenOf,
  listPreferences,
} from './store.ts';

export interface AlertWork extends AlertSources {
  /** Without a mail server no mails are created. */
  readonly isMailSetUp: boolean;
}

/**
 * Opens alerts whose cause holds and ends those whose cause is over. Events and mails are written in the same transaction, so that a crash
 * or a concurrent worker causes no duplicate notification. Returns the numbers of opened and ended alerts.
 */
export async function lookForAlerts(work: AlertWork): Promise<{ readonly opened: number; readonly ended: number }> {
  let [opened, ended] = [0, 0];
  for (const kind of alertKindNames) {
    ended += await endAlerts(work, kind);
    opened += await openAlerts(work, kind);
  }
  return { opened, ended };
}

async function openAlerts(work: AlertWork, kind: AlertKind): Promise<number> {
  let opened = 0;
  for (let after: string | undefined = nilUuid; after !== undefined; ) {
    work.signal.throwIfAborted();
    const { causes, next } = await alertRules[kind].find(work, after);
    const openProfiles = await findOpenOf(
      work.system.unbound,
      kind,
      causes.map(({ profileId }) => profileId),
    );
    for (const cause of causes)
      if (!openProfiles.has(cause.profileId) && (await openOne(work, kind, cause))) opened += 1;
    after = next;
  }
  return opened;
}

async function openOne(work: AlertWork, kind: AlertKind, { profileId, since: found }: Cause): Promise<boolean> {
  const { app, now } = work;
  const { confirm } = alertRules[kind];
  const workspaceId = await app.forProfile(profileId).transaction((tx) => findWorkspaceOf(tx, profileId));
  if (!workspaceId) return false;
  return app.withScope({ profileId, workspaceId }).transaction(async (tx) => {
    const since = confirm ? await confirm(tx, work, profileId) : found;
    if (!since || !(await isActiveProfile(tx, profileId))) return false;
    const alert = await insertAlert(tx, { profileId, kind, since, openedAt: now });
    if (!alert) return false;
    await announce(tx, [{ id: uuid(), type: 'alert.opened', data: dataOf(alert), occurredAt: now }]);
    const isMailed = work.isMailSetUp && !(await isAppProvisioned(tx, workspaceId));
    if (isMailed && !(await isHealthcareProfile(tx, profileId)))
      await insertMails(tx, alert, await findRecipients(tx, profileId, workspaceId), now);
    return true;
  });
}

/** Members who subscribed and, without a choice of their own, owners and admins. */
async function findRecipients(
  tx: Tx,
  profileId: string,
  workspaceId: string,
): Promise<Pick<AlertPreference, 'userId' | 'language'>[]> {
  const preferences = new Map(
    (await listPreferences(tx, profileId)).map((preference) => [preference.userId, preference]),
  );
  return (await listRoles(tx, workspaceId))
    .filter(({ userId, role }) => preferences.get(userId)?.isWanted ?? alertedRoles.includes(role))
    .map(({ userId }) => ({ userId, language: preferences.get(userId)?.language ?? 'en' }));
}

async function endAlerts(work: AlertWork, kind: AlertKind): Promise<number> {
  let ended = 0;
  for (let after: string | undefined = nilUuid; after !== undefined; ) {
    work.signal.throwIfAborted();
    const open: AlertRow[] = await listOpenOf(work.system.unbound, kind, { after, limit: profilesAtOnce });
    for (const alert of await alertRules[kind].findOver(work, open)) if (await endOne(work, alert)) ended += 1;
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
