import type { Routes } from '@tributary/contract';
import { findMembersAmong } from '@tributary/domain/tenancy/accounts';
import { findUserNames } from '@tributary/domain/tenancy/credentials';
import { answer, type Handles } from '@tributary/operations';
import { type ReportMailServices, toMailResponse } from './mail-response.ts';
import { listLast, listMails } from './store.ts';

export const listReportMails: Handles<Routes['listReportMails'], ReportMailServices> = async (
  _input,
  { caller, ledger, behind, isMailSetUp },
) => {
  const { profileId, workspaceId } = caller;
  const { mails, lasts, names } = await ledger.transaction(
    async (tx) => {
      const mails = await listMails(tx, profileId);
      const makers = mails.map(({ madeBy }) => madeBy);
      return { mails, lasts: await listLast(tx, profileId), names: await findUserNames(tx, makers) };
    },
    { readOnly: true },
  );
  const ids = [...new Set(mails.flatMap(({ recipients }) => recipients))];
  const members = await behind({ workspaceId }).transaction((tx) => findMembersAmong(tx, workspaceId, ids), {
    readOnly: true,
  });
  const lastOf = new Map(lasts.map((last) => [last.mailId, last]));
  return answer(200, {
    data: mails.map((mail) => toMailResponse(mail, members, names, lastOf.get(mail.id))),
    meta: { is_set_up: isMailSetUp },
  });
};
