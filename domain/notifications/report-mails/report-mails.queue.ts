import type { Item, QueueHandler } from '@tributary/work';
import { sql } from 'kysely';
import type { Report } from './compose.ts';
import { deliver, type MailStores, planMail, readReport } from './send.ts';
import { parkMail, unparkMail } from './send-once.ts';
import { type DeliveryRow, listDueDeliveries, listDueMails, type MailRow, mailLocationOf } from './store.ts';

type MailItem = Item & ({ readonly mail: MailRow } | { readonly delivery: DeliveryRow });

/** Sends reports to members: first creates a delivery per member, then sends each at most once. */
export const reportMails = (stores: MailStores): QueueHandler<MailItem> => ({
  async load(profileId, limit) {
    const { mails, deliveries } = await stores.app.forProfile(profileId).transaction(
      async (tx) => ({
        mails: await listDueMails(tx, profileId, stores.now(), limit),
        deliveries: await listDueDeliveries(tx, profileId, stores.now(), limit),
      }),
      { readOnly: true },
    );
    const items = [
      ...mails.map((mail) => ({ id: mail.id, mail })),
      ...deliveries.map((delivery) => ({ id: idOf(delivery), delivery })),
    ].slice(0, limit);
    // Planned mails create deliveries.
    return { items, isMore: mails.length > 0 || deliveries.length === limit };
  },

  async work({ key: profileId, items, renewLease, signal }) {
    const read = new Map<string, Promise<Report>>();
    for (const item of items) {
      signal.throwIfAborted();
      if ('mail' in item) await planMail(stores, profileId, item.mail, renewLease);
      else {
        const { delivery } = item;
        const { mailId, from } = delivery;
        const once = () => {
          const report =
            read.get(`${mailId} ${from}`) ?? readReport(reportContextOf(stores, profileId, signal), delivery);
          read.set(`${mailId} ${from}`, report);
          return report;
        };
        await deliver(stores, profileId, delivery, renewLease, once);
      }
    }
  },

  /** A mail that cannot be planned is parked until an operator retries it. */
  async park(tx, profileId, item) {
    if ('mail' in item)
      await sql`UPDATE report_mails SET due_at = 'infinity' WHERE profile_id = ${profileId} AND id = ${item.mail.id}`.execute(
        tx,
      );
    else await parkMail(tx, mailLocationOf(profileId, item.delivery));
  },

  async unpark(tx, profileId, ids) {
    for (const id of ids)
      if (id.includes('/')) await unparkMail(tx, mailLocationOf(profileId, keyOf(id)));
      // Whole milliseconds, because planMail compares due_at with the value it has read.
      else
        await sql`UPDATE report_mails SET due_at = date_trunc('milliseconds', now()) WHERE profile_id = ${profileId} AND id = ${id}`.execute(
          tx,
        );
  },
});

const reportContextOf = ({ app, clickhouse, now }: MailStores, profileId: string, signal: AbortSignal) => ({
  caller: { profileId },
  ledger: app.forProfile(profileId),
  clickhouse,
  signal,
  now: now(),
});

const idOf = ({ mailId, sentFor, userId }: DeliveryRow): string => `${mailId}/${sentFor.toISOString()}/${userId}`;

function keyOf(id: string) {
  const [mailId = '', sentFor = '', userId = ''] = id.split('/');
  return { mailId, sentFor, userId };
}
