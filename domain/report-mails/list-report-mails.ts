import type { Routes } from '@tributary/contract';
import { findMembersAmong } from '@tributary/domain/accounts';
import { answer, type Handles } from '@tributary/operations';
import { type ReportMailServices, showMail } from './show-mail.ts';
import { listLast, listMails } from './store.ts';

export const listReportMails: Handles<Routes['listReportMails'], ReportMailServices> = async (
  _input,
  { caller, ledger, behind, isMailSetUp },
) => {
  const { profileId, workspaceId } = caller;
  const { mails, lasts } = await ledger.transaction(
    async (tx) => ({ mails: await listMails(tx, profileId), lasts: await listLast(tx, profileId) }),
    { readOnly: true },
  );
  const ids = [...new Set(mails.flatMap(({ recipients }) => recipients))];
  const members = await behind({ workspaceId }).transaction((tx) => findMembersAmong(tx, workspaceId, ids), {
    readOnly: true,
  });
  const lastOf = new Map(lasts.map((last) => [last.mailId, last]));
  return answer(200, {
    data: mails.map((mail) => showMail(mail, members, lastOf.get(mail.id))),
    meta: { is_set_up: isMailSetUp },
  });
};
