import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dayOf } from '@tributary/rules';
import { completeConsent } from '@tributary/sandbox';
import { type Client, createClient } from '@tributary/sdk';
import { channels, dayMs, handoffProviders, isAdPlatform } from '@tributary/vocabulary';
import type { DemoBook } from '../demo-book.ts';
import { buyers, emailOf, recordActions } from './record-actions.ts';
import type { Step } from './steps.ts';

/**
 * Adds what a shop has besides its market, through the API as a user would: connected providers, refunds, an erasure, a webhook subscription, an
 * invited colleague, and recent actions. So no screen of the demo is empty.
 */
interface Shop {
  readonly baseUrl: string;
  readonly book: DemoBook;
  /** The URL that receives webhooks. */
  readonly receiverUrl: string;
  readonly now: Date;
  readonly step: Step;
}

/** The providers that the demo connects: both ad platforms and a CRM. */
const providers = handoffProviders.filter((name) => isAdPlatform(name) || channels[name].kind === 'crm');
const refunds = 3;
const reportDays = 30;

export async function addExtras(shop: Shop): Promise<void> {
  const { client, workspaceId } = await signIn(shop);
  const { step } = shop;
  // The sandbox loses its consents when it stops, so they are granted at each start.
  await step('connections', async () => {
    for (const provider of providers) await connect(shop, client, provider);
    // The first listing stores CRM stages with the mapping that their names suggest.
    await client.listStages({ params: { provider: 'crm_a' }, query: {} });
    await subscribeWebhooks(shop, client);
  });
  const { data: invitations } = await client.listInvitations({ params: { workspaceId } });
  if (invitations.length > 0) return;
  const { date_from: from, date_to: to } = rangeOf(shop);
  const { data: payments } = await client.listPayments({ query: { from, to, limit: 50 } });
  await step('refunds, an erasure', async () => {
    for (const { id, net } of payments.filter((one) => Number(one.net) > 0 && !one.manual_refund).slice(0, refunds))
      await client.createPaymentRefund({ params: { payment_id: id }, body: { amount: (Number(net) / 2).toFixed(2) } });
    await eraseOne(shop, client, workspaceId);
  });
  await step('changes of ads, models', () => recordActions(client, rangeOf(shop)));
  await step('a merge that was undone', () => mergeAndUndo(shop, client));
  await step('reconciliation', () => client.createReconciliation({ body: rangeOf(shop) }));
  // The last step; if it is present, the next start skips the setup.
  await step('an invited colleague', () =>
    client.createInvitation({ params: { workspaceId }, body: { role: 'analyst' } }),
  );
}

const rangeOf = ({ now }: Shop) => ({
  date_from: dayOf(new Date(now.getTime() - (reportDays - 1) * dayMs)),
  date_to: dayOf(now),
});

/** Signs in with a session, as the console does. */
async function signIn({
  baseUrl,
  book: { email, password, profileId },
}: Shop): Promise<{ client: Client; workspaceId: string }> {
  const answer = await fetch(`${baseUrl}/api/v1/account/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: baseUrl },
    body: JSON.stringify({ email, password }),
  });
  const cookie = answer.headers.getSetCookie().map((one) => one.split(';')[0]);
  const headers = { cookie: cookie.join('; '), origin: baseUrl };
  const client = createClient({ baseUrl, session: { profileId }, headers });
  const { data: account } = await client.readAccount();
  const mine = account.memberships.find(({ profiles }) => profiles.some(({ id }) => id === profileId));
  if (!mine) throw new Error('Whoever signs in to the demo belongs to no workspace.');
  return { client, workspaceId: mine.workspace_id };
}

/** Creates a link and consents on the sandbox's page, sharing its first account. */
async function connect({ baseUrl }: Shop, client: Client, provider: (typeof providers)[number]): Promise<void> {
  const { data: handoff } = await client.createHandoff({ params: { provider }, body: {} });
  const started = await fetch(handoff.start_url, { redirect: 'manual' });
  const cookie = started.headers.getSetCookie().map((one) => one.split(';')[0]);
  const dialog = new URL(started.headers.get('location') ?? '', baseUrl);
  const callback = new URL(dialog.searchParams.get('redirect_uri') ?? '');
  const parameters = await completeConsent(dialog.href, { most: 1 });
  for (const [name, value] of Object.entries(parameters)) callback.searchParams.set(name, value);
  await fetch(callback, { redirect: 'manual', headers: { cookie: cookie.join('; ') } });
  const { data: ended } = await client.readHandoff({ params: { id: handoff.id } });
  if (!ended.result || !('connection_id' in ended.result))
    throw new Error(`${provider} was not connected: the hand-off is ${ended.status}.`);
}

/** Keeps one subscription, updated to the URL of this process. */
async function subscribeWebhooks({ receiverUrl }: Shop, client: Client): Promise<void> {
  const { data: subscriptions } = await client.listWebhookSubscriptions();
  const [mine] = subscriptions;
  if (mine) {
    await client.updateWebhookSubscription({ params: { id: mine.id }, body: { url: receiverUrl, status: 'active' } });
    return;
  }
  const { data: made } = await client.createWebhookSubscription({
    body: {
      url: receiverUrl,
      events: ['conversion.attributed', 'recompute.completed', 'export.completed'],
      providers: ['service'],
    },
  });
  await client.testWebhookSubscription({ params: { id: made.id }, body: {} });
}

async function eraseOne(shop: Shop, client: Client, workspaceId: string): Promise<void> {
  const { data: customers } = await client.listCustomers({
    query: { ...rangeOf(shop), goal: 'payment_received', limit: 20 },
  });
  const email = customers.find((one) => one.email)?.email;
  if (!email) return;
  await client.createCustomerErasure({
    params: { workspaceId },
    body: {
      profile_id: shop.book.profileId,
      request_ref: 'ticket-2026-0042',
      reason: 'data_subject_request',
      country: 'CL',
      email,
    },
  });
}

/** Imports a loyalty card that two buyers share, which merges them; then a member undoes the merge. */
async function mergeAndUndo(shop: Shop, client: Client): Promise<void> {
  const [holder, other] = buyers.map(emailOf);
  for (const email of [holder, other])
    await client.importCustomers({ body: { rows: [{ email, external_id: 'loyalty-1042' }] } });
  const { data: merges } = await client.listMerges({ query: rangeOf(shop) });
  const [merge] = merges;
  if (!merge) throw new Error('The two buyers were not merged.');
  await client.undoMerge({ params: { merge_id: merge.id }, body: { reason: 'Two customers of one household' } });
}

/** A webhook receiver that accepts every delivery. */
export async function openReceiver(): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(204).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
