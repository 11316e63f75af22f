import type { Routes } from '@tributary/contract';
import { findMembersAmong } from '@tributary/domain/tenancy/accounts';
import { findUserNames } from '@tributary/domain/tenancy/credentials';
import { getProfile, isAppProvisioned } from '@tributary/domain/tenancy/tenants';
import { answer, type Handles, refuse } from '@tributary/operations';
import { limits } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { type ReportMailServices, toMailResponse } from './mail-response.ts';
import { countMails, insertMail, nextDue } from './store.ts';

export const createReportMail: Handles<Routes['createReportMail'], ReportMailServices> = async (
  { body },
  { caller, effect, behind, now, addToAudit, isMailSetUp },
) => {
  const { profileId, workspaceId, userId } = caller;
  if (!isMailSetUp)
    refuse('invalid_state', 'No mail is sent from here: the operator has to set SMTP_URL and MAIL_FROM.');
  if (!userId) refuse('forbidden', 'Only somebody who is signed in has a report sent.');
  const recipients = [...new Set(body.recipients)];
  const members = await behind({ workspaceId }).transaction((tx) => findMembersAmong(tx, workspaceId, recipients));
  if (members.length < recipients.length)
    refuse('validation_error', '"recipients" must be members of the workspace.', { fields: { field: 'recipients' } });
  if (await behind({ workspaceId }).transaction((tx) => isAppProvisioned(tx, workspaceId)))
    refuse('app_provisioned_workspace', 'An app provisioned this workspace: Tributary sends no e-mail to its members.');
  return effect(async (tx) => {
    if ((await countMails(tx, profileId)) >= limits.reportMails.most)
      refuse('invalid_state', `A profile has up to ${limits.reportMails.most} of them. Stop one that nobody reads.`);
    const { timeZone } = await getProfile(tx, profileId);
    const { page, every, language, model } = body;
    const dueAt = await nextDue(tx, every, now, timeZone);
    const mail = { id: uuid(), page, every, language, model, recipients, madeBy: userId, createdAt: now, dueAt };
    await insertMail(tx, profileId, mail);
    addToAudit({ detail: { page, every, recipients } });
    const names = await findUserNames(tx, [userId]);
    return answer(201, { data: toMailResponse(mail, members, names, undefined) });
  });
};
