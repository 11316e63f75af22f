import { links } from '@tributary/contract';
import {
  listCampaigns,
  type ReportContext,
  type ReportServices,
  readOverview,
} from '@tributary/domain/measurement/reports';
import { findMembersAmong } from '@tributary/domain/tenancy/accounts';
import {
  findProfileName,
  findWorkspaceOf,
  getProfile,
  isActiveProfile,
  isHealthcareProfile,
} from '@tributary/domain/tenancy/tenants';
import type { Mailer } from '@tributary/outbound';
import type { Postgres, Tx } from '@tributary/postgres';
import { dayOf } from '@tributary/rules';
import { dayMs, limits, type MailFailure, type MailRhythm } from '@tributary/vocabulary';
import { composeMail, type Report } from './compose.ts';
import { sendOnce, settleMail } from './send-once.ts';
import {
  type Days,
  type DeliveryRow,
  insertDeliveries,
  lastDays,
  type MailRow,
  mailLocationOf,
  moveDueAt,
  nextDue,
} from './store.ts';

export interface MailStores extends ReportServices {
  readonly app: Postgres;
  /** Undefined if the operator configured no mail server. */
  readonly mailer: Mailer | undefined;
  readonly baseUrl: string;
  readonly now: () => Date;
}

type Hold = (tx: Tx) => Promise<void>;

/** Creates a delivery per recipient and moves the mail to its next due time, in one transaction, so that no delivery is created twice. */
export async function planMail({ app, now }: MailStores, profileId: string, mail: MailRow, hold: Hold): Promise<void> {
  const workspaceId = await app.forProfile(profileId).transaction((tx) => findWorkspaceOf(tx, profileId));
  await app.withScope({ profileId, workspaceId }).transaction(async (tx) => {
    await hold(tx);
    const at = now();
    const { timeZone } = await getProfile(tx, profileId);
    if (!(await moveDueAt(tx, profileId, mail, await nextDue(tx, mail.every, at, timeZone)))) return;
    if (!workspaceId || !(await isActiveProfile(tx, profileId)) || (await isHealthcareProfile(tx, profileId))) return;
    const members = await findMembersAmong(tx, workspaceId, mail.recipients);
    const days = await lastDays(tx, mail.every, at, timeZone);
    await insertDeliveries(
      tx,
      profileId,
      mail,
      days,
      members.map(({ userId }) => userId),
      at,
    );
  });
}

/** Sends one mail to one member at most once: it is marked before sending, and a mail that may have arrived is never sent again. */
export async function deliver(
  stores: MailStores,
  profileId: string,
  delivery: DeliveryRow,
  hold: Hold,
  read: () => Promise<Report>,
): Promise<void> {
  const { app, mailer, now, baseUrl } = stores;
  const workspaceId = await app.forProfile(profileId).transaction((tx) => findWorkspaceOf(tx, profileId));
  const ledger = app.withScope({ profileId, workspaceId });
  const location = mailLocationOf(profileId, delivery);
  const fail = (reason: MailFailure) =>
    ledger.transaction((tx) => settleMail(tx, location, { state: 'failed', reason }));
  // An earlier worker began and did not record a result.
  if (delivery.state === 'sending') return fail('unclear');
  const found = await ledger.transaction(
    async (tx) => ({
      member: workspaceId && (await findMembersAmong(tx, workspaceId, [delivery.userId]))[0],
      isHealthcare: await isHealthcareProfile(tx, profileId),
      profileName: (await findProfileName(tx, profileId)) ?? '',
    }),
    { readOnly: true },
  );
  if (!found.member) return fail('left');
  if (found.isHealthcare) return fail('healthcare');
  const { viewUrl, stopUrl } = urlsOf(baseUrl, profileId, delivery);
  const mail = composeMail(await read(), {
    ...delivery,
    days: delivery,
    profileName: found.profileName,
    viewUrl,
    stopUrl,
  });
  const id = `${delivery.mailId}.${+delivery.sentFor}.${delivery.userId}`;
  const messageId = `<${id}@${new URL(baseUrl).hostname}>`;
  return sendOnce({ ledger, mailer, now, hold }, location, { ...mail, to: found.member.email, stopUrl, messageId });
}

type Content = Pick<DeliveryRow, 'page' | 'model' | 'every' | 'from' | 'to'>;

/** Links in a mail: the report itself, and the page to unsubscribe. */
export function urlsOf(baseUrl: string, profileId: string, { page, model, from, to }: Content) {
  return {
    viewUrl: `${links.profilePage(baseUrl, profileId, page)}?${new URLSearchParams({ from, to, model })}`,
    stopUrl: links.profilePage(baseUrl, profileId, 'report-mails'),
  };
}

/** The figures of the API's reports for the period and the one before. */
export async function readReport(reading: ReportContext, { page, model, every, from, to }: Content): Promise<Report> {
  const range = { date_from: from, date_to: to };
  const earlier = daysBefore({ from, to }, every);
  const limit = limits.reportMails.campaigns[page];
  const [overview, before, campaigns] = await Promise.all([
    readOverview({ query: range } as Parameters<typeof readOverview>[0], reading),
    readOverview(
      { query: { date_from: earlier.from, date_to: earlier.to } } as Parameters<typeof readOverview>[0],
      reading,
    ),
    listCampaigns({ query: { ...range, model, limit } } as Parameters<typeof listCampaigns>[0], reading),
  ]);
  return { overview: overview.body, before: before.body, campaigns: campaigns.body };
}

const lengths = { day: 1, week: 7 } as const;

/** The day, week or month before. */
export function daysBefore({ from }: Days, every: MailRhythm): Days {
  const first = new Date(`${from}T00:00:00Z`);
  const began =
    every === 'month'
      ? new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() - 1, 1))
      : new Date(+first - lengths[every] * dayMs);
  return { from: dayOf(began), to: dayOf(new Date(+first - dayMs)) };
}
