import type { Routes } from '@tributary/contract';
import { findMembersAmong } from '@tributary/domain/tenancy/accounts';
import { findUserNames } from '@tributary/domain/tenancy/credentials';
import { getProfile } from '@tributary/domain/tenancy/tenants';
import { answer, type Handles, refuse } from '@tributary/operations';
import { limits, minuteMs } from '@tributary/vocabulary';
import { type ReportMailServices, toMailResponse } from './mail-response.ts';
import { insertDeliveries, lastDays, listLast, listMails, lockMail } from './store.ts';

const { againMinutes } = limits.reportMails;

/** Creates a delivery per recipient in addition to the schedule, which stays unchanged. */
export const sendReportMail: Handles<Routes['sendReportMail'], ReportMailServices> = async (
  { params: { id } },
  { caller, ledger, effect, behind, now, isMailSetUp },
) => {
  const { profileId, workspaceId } = caller;
  if (!isMailSetUp)
    refuse('invalid_state', 'No mail is sent from here: the operator has to set SMTP_URL and MAIL_FROM.');
  const notFound = (): never => refuse('not_found', 'There is no such report.');
  const recipients = await ledger.transaction(
    async (tx) => (await listMails(tx, profileId)).find((mail) => mail.id === id)?.recipients ?? notFound(),
    { readOnly: true },
  );
  const members = await behind({ workspaceId }).transaction((tx) => findMembersAmong(tx, workspaceId, recipients));
  if (members.length === 0) refuse('invalid_state', 'No member of the workspace gets this report any more.');
  return effect(async (tx) => {
    const mail = (await lockMail(tx, profileId, id)) ?? notFound();
    const readLast = async () => (await listLast(tx, profileId)).find(({ mailId }) => mailId === id);
    const last = await readLast();
    if (last && +now - +last.at < againMinutes * minuteMs)
      refuse('invalid_state', `This report was sent less than ${againMinutes} minutes ago.`);
    const days = await lastDays(tx, mail.every, now, (await getProfile(tx, profileId)).timeZone);
    const userIds = members.map(({ userId }) => userId).filter((userId) => mail.recipients.includes(userId));
    await insertDeliveries(tx, profileId, { ...mail, dueAt: now }, days, userIds, now);
    const names = await findUserNames(tx, [mail.madeBy]);
    return answer(202, { data: toMailResponse(mail, members, names, await readLast()) });
  });
};
