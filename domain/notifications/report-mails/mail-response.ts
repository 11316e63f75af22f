import type { findMembersAmong } from '@tributary/domain/tenancy/accounts';
import { toMemberCreator, type UserNames } from '@tributary/domain/tenancy/credentials';
import type { LastRow, MailRow } from './store.ts';

export interface ReportMailServices {
  /** Whether the operator configured a mail server. */
  readonly isMailSetUp: boolean;
}

type Members = Awaited<ReturnType<typeof findMembersAmong>>;

export const toMailResponse = (mail: MailRow, members: Members, names: UserNames, last: LastRow | undefined) => ({
  id: mail.id,
  page: mail.page,
  every: mail.every,
  language: mail.language,
  model: mail.model,
  recipients: members
    .filter(({ userId }) => mail.recipients.includes(userId))
    .map(({ userId, name, email }) => ({ user_id: userId, name, email })),
  created_by: toMemberCreator(mail.madeBy, names),
  created_at: mail.createdAt.toISOString(),
  next_at: mail.dueAt.toISOString(),
  last: last
    ? {
        at: last.at.toISOString(),
        date_from: last.from,
        date_to: last.to,
        sent: last.sent,
        waiting: last.waiting,
        failed: last.failed,
        reason: last.reason,
      }
    : null,
});
