import { links } from '@tributary/contract';
import {
  type MailLocation,
  parkMail,
  sendOnce,
  settleMail,
  unparkMail,
} from '@tributary/domain/notifications/report-mails';
import { findMembersAmong } from '@tributary/domain/tenancy/accounts';
import { findProfileName, findWorkspaceOf, getProfile, isHealthcareProfile } from '@tributary/domain/tenancy/tenants';
import type { Mailer } from '@tributary/outbound';
import type { Postgres, Tx } from '@tributary/postgres';
import type { AlertMoment, MailFailure } from '@tributary/vocabulary';
import type { Item, QueueHandler } from '@tributary/work';
import { composeAlert } from './compose.ts';
import { type AlertMailRow, listDueMails, type MailKey, mailLocationOf } from './store.ts';

export interface AlertMailStores {
  readonly app: Postgres;
  /** Undefined if the operator configured no mail server. */
  readonly mailer: Mailer | undefined;
  readonly baseUrl: string;
  readonly now: () => Date;
}

type MailItem = Item & { readonly mail: AlertMailRow };

/** Sends alert mails to members, at most once per member and moment. */
export const alertMails = (stores: AlertMailStores): QueueHandler<MailItem> => ({
  async load(profileId, limit) {
    const mails = await stores.app
      .forProfile(profileId)
      .transaction((tx) => listDueMails(tx, profileId, stores.now(), limit), { readOnly: true });
    return { items: mails.map((mail) => ({ id: idOf(mail), mail })), isMore: mails.length === limit };
  },

  async work({ key: profileId, items, renewLease, signal }) {
    for (const { mail } of items) {
      signal.throwIfAborted();
      await deliver(stores, profileId, mail, renewLease);
    }
  },

  park: (tx, profileId, { mail }) => parkMail(tx, mailLocationOf(profileId, mail)),

  async unpark(tx, profileId, ids) {
    for (const id of ids) await unparkMail(tx, mailLocationOf(profileId, keyOf(id)));
  },
});

const idOf = ({ id, moment, userId }: MailKey): string => `${id}/${moment}/${userId}`;

function keyOf(text: string): MailKey {
  const [id = '', moment = '', userId = ''] = text.split('/');
  return { id, moment: moment as AlertMoment, userId };
}

async function deliver(
  { app, mailer, now, baseUrl }: AlertMailStores,
  profileId: string,
  mail: AlertMailRow,
  hold: (tx: Tx) => Promise<void>,
): Promise<void> {
  const workspaceId = await app.forProfile(profileId).transaction((tx) => findWorkspaceOf(tx, profileId));
  const ledger = app.withScope({ profileId, workspaceId });
  const location: MailLocation = mailLocationOf(profileId, mail);
  const fail = (reason: MailFailure) =>
    ledger.transaction((tx) => settleMail(tx, location, { state: 'failed', reason }));
  // An earlier worker began and did not record a result.
  if (mail.state === 'sending') return fail('unclear');
  const found = await ledger.transaction(
    async (tx) => ({
      member: workspaceId && (await findMembersAmong(tx, workspaceId, [mail.userId]))[0],
      isHealthcare: await isHealthcareProfile(tx, profileId),
      profileName: (await findProfileName(tx, profileId)) ?? '',
      timeZone: (await getProfile(tx, profileId)).timeZone,
    }),
    { readOnly: true },
  );
  if (!found.member) return fail('left');
  if (found.isHealthcare) return fail('healthcare');
  const pageUrl = (page: string) => links.profilePage(baseUrl, profileId, page);
  const stopUrl = pageUrl('report-mails');
  const messageId = `<${mail.id}.${mail.moment}.${mail.userId}@${new URL(baseUrl).hostname}>`;
  const written = composeAlert(mail, { ...found, pageUrl, stopUrl });
  return sendOnce({ ledger, mailer, now, hold }, location, { ...written, to: found.member.email, stopUrl, messageId });
}
