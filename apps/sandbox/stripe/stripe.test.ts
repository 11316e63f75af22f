import { createStripe, type ProviderRecord } from '@tributary/providers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { json, type Sandbox, startSandbox } from '../index.ts';
import { callTo, completeConsent } from '../testing.ts';

const start = new Date('2026-03-10T12:00:00Z');
let now = start;
const redirectUri = 'http://127.0.0.1:4000/handoff/callback';
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox({ seed: 3, now: () => now, market: { people: 1500, start: '2026-01-01', days: 60 } });
});
afterAll(() => sandbox.close());

const provider = () =>
  createStripe({
    clientId: sandbox.settings.STRIPE_CLIENT_ID,
    clientSecret: sandbox.settings.STRIPE_CLIENT_SECRET,
    apiUrl: sandbox.settings.STRIPE_API_URL,
    dialogUrl: sandbox.settings.STRIPE_DIALOG_URL,
    apiVersion: '2026-07-29.dahlia',
    webhookSecret: sandbox.settings.STRIPE_WEBHOOK_SECRET,
  });
const call = () => callTo(sandbox, now);

async function open() {
  const { connect, sync } = provider();
  if (!connect || !sync) return expect.unreachable();
  const back = connect.readCallback(await completeConsent(connect.authorizeUrl({ redirectUri, state: 's' })));
  if (!('code' in back)) return expect.unreachable();
  const credentials = await connect.exchange({ code: back.code, redirectUri }, call());
  const account = { externalId: credentials.accountId, credentials, details: {} };
  return { connect, sync, credentials, account };
}

/** Simulates the ledger: the latest record of each outcome and refund. */
function storeLatest(ledger: Map<string, ProviderRecord>, records: readonly ProviderRecord[]): void {
  for (const one of records) if (one.kind === 'outcome' || one.kind === 'refund') ledger.set(one.externalId, one);
}

function compare(ledger: Map<string, ProviderRecord>): void {
  const { charges, reversals } = sandbox.book.stripe.money();
  const cents = (decimal: string | undefined) => Number((decimal ?? '').replace('.', ''));
  const all = [...ledger.values()];
  expect(new Map(all.flatMap((one) => (one.kind === 'outcome' ? [[one.externalId, cents(one.value)]] : [])))).toEqual(
    charges,
  );
  const back = all.flatMap((one) =>
    one.kind === 'refund'
      ? [
          [
            one.externalId,
            { charge: one.ofExternalId, amount: cents(one.amount), isUndone: one.isUndone ?? false },
          ] as const,
        ]
      : [],
  );
  expect(new Map(back)).toEqual(reversals);
}

async function read(
  from: Parameters<NonNullable<ReturnType<typeof provider>['sync']>>[1],
  ledger: Map<string, ProviderRecord>,
) {
  const { sync, account } = await open();
  let position = from;
  let pages = 0;
  for await (const page of sync(account, from, call())) {
    storeLatest(ledger, page.records);
    position = page.position;
    pages += 1;
    expect(JSON.stringify(position)).not.toContain(account.credentials.accessToken);
  }
  return { position, pages };
}

test('a consent yields one account, one-hour tokens and a refresh token that works once', async () => {
  const { connect, credentials, account } = await open();
  expect(await connect.candidates(credentials, call())).toEqual([
    expect.objectContaining({ externalId: 'acct_sandbox', name: 'Sandbox shop' }),
  ]);
  expect(Date.parse(credentials.expiresAt) - now.getTime()).toBe(3_600_000);
  const fresh = await connect.refresh?.(credentials, call());
  expect(fresh?.refreshToken).not.toBe(credentials.refreshToken);
  await expect(connect.refresh?.(credentials, call())).rejects.toMatchObject({
    details: { verdict: 'reconnect', code: 'invalid_grant' },
  });
  await connect.revoke?.(account, call());
  await expect(connect.candidates(credentials, call())).rejects.toMatchObject({ details: { verdict: 'reconnect' } });
  expect(connect.readCallback({ error: 'access_denied' })).toEqual({ reason: 'user_cancelled' });
});

test('lists and then events rebuild Stripe’s own book, whatever happens in between', async () => {
  const ledger = new Map<string, ProviderRecord>();
  const { book } = sandbox;
  // Creates an event, so that the lists end where the events begin.
  const early = book.stripe.pay({ amount: 1_500, currency: 'clp', isCaptured: false });
  const { sync, account } = await open();
  let position = null as Parameters<typeof sync>[1];
  let pages = 0;
  // Interrupted after each page and continued from its cursor; refunds are created while the lists are read.
  for (let isOver = false; !isOver; pages += 1) {
    for await (const page of sync(account, position, call())) {
      storeLatest(ledger, page.records);
      position = page.position;
      isOver = page.progress === 1;
      break;
    }
    if (pages === 1) {
      book.stripe.refund(book.stripe.state.charges.find(({ captured }) => captured) ?? early, 100);
      book.stripe.capture(early);
    }
  }
  expect(pages).toBeGreaterThan(4);
  compare(ledger);
  const records = ledger.get(early.id);
  expect(records).toMatchObject({ value: '1500', currency: 'CLP', outcomeType: 'payment_received' });

  now = new Date(start.getTime() + 1_800_000);
  const late = book.stripe.pay({ amount: 2_050, currency: 'usd' });
  const refund = book.stripe.refund(late, 1_000);
  const dispute = book.stripe.dispute(late);
  const second = await read(position, ledger);
  compare(ledger);
  expect(ledger.get(dispute.id)).toMatchObject({ isDispute: true, ofExternalId: late.id, amount: '20.50' });

  now = new Date(start.getTime() + 3_000_000);
  book.stripe.settle(refund, 'failed');
  book.stripe.settle(dispute, 'won');
  const third = await read(second.position, ledger);
  expect(third.pages).toBe(1);
  compare(ledger);
  expect(ledger.get(refund.id)).toMatchObject({ isUndone: true });

  // Any other error while reading events keeps the anchor: nothing is read again.
  for (const [status, code, verdict] of [
    [401, undefined, 'reconnect'],
    [429, 'rate_limit', 'wait'],
    [500, undefined, 'wait'],
    [400, 'parameter_invalid', 'refused'],
  ] as const) {
    sandbox.say({ at: '/stripe/v1/events', reply: json(status, { error: { code, message: 'no' } }) });
    await expect(read(third.position, ledger), String(status)).rejects.toMatchObject({ details: { verdict } });
  }
  expect((await read(third.position, ledger)).pages).toBe(1);

  // After forty days without a sync the anchor has expired, and the same sync reads the lists again.
  now = new Date(start.getTime() + 40 * 86_400_000);
  book.stripe.pay({ amount: 9_900, currency: 'usd' });
  await read(third.position, ledger);
  compare(ledger);
});

test('the books list every charge that reached the balance once, on the day of its movement', async () => {
  const { account } = await open();
  const { books } = provider();
  const booked = new Map<string, string>();
  const late = sandbox.book.stripe.pay({ amount: 700, currency: 'usd', isCaptured: false });
  expect(await books?.payment?.(account, late.id, call())).toBeUndefined();
  sandbox.book.stripe.capture(late);
  for (let at = Date.parse('2026-01-01'); at < now.getTime() + 86_400_000; at += 30 * 86_400_000)
    for await (const page of books?.payments?.(
      account,
      { from: new Date(at), until: new Date(at + 30 * 86_400_000) },
      call(),
    ) ?? [])
      for (const { externalId, amount } of page) {
        expect(booked.has(externalId)).toBe(false);
        booked.set(externalId, amount.replace('.', ''));
      }
  const { charges } = sandbox.book.stripe.money();
  expect(booked).toEqual(new Map([...charges].map(([id, cents]) => [id, String(cents).padStart(3, '0')])));
  expect(await books?.payment?.(account, late.id, call())).toMatchObject({ amount: '7.00', currency: 'USD' });
  expect(await books?.payment?.(account, 'ch_none', call())).toBeUndefined();
});

test('Stripe’s retry header takes precedence over the status', async () => {
  const { connect, credentials } = await open();
  const answers = async (status: number, headers: Record<string, string> = {}, code?: string) => {
    sandbox.say({ at: '/stripe/v1/account', reply: json(status, { error: { code, message: 'no' } }, headers) });
    const fault = await connect.candidates(credentials, call()).then(
      () => undefined,
      (error) => error.details,
    );
    return [fault?.verdict, fault?.retryAfterMs];
  };
  expect(await answers(500)).toEqual(['wait', undefined]);
  expect(await answers(500, { 'stripe-should-retry': 'false' })).toEqual(['refused', undefined]);
  expect(await answers(400, { 'stripe-should-retry': 'true' })).toEqual(['wait', undefined]);
  expect(await answers(429, { 'retry-after': '3' })).toEqual(['wait', 3_000]);
  expect(await answers(409)).toEqual(['wait', undefined]);
  expect(await answers(401)).toEqual(['reconnect', undefined]);
  expect(await answers(403, {}, 'account_invalid')).toEqual(['reconnect', undefined]);
  // Without the permission, the account is named by its id.
  expect(await answers(403)).toEqual([undefined, undefined]);
});

test('webhooks are verified over their raw bytes within five minutes, and name their account', () => {
  const { receive } = provider();
  const delivery = sandbox.book.stripe.webhook({ type: 'charge.succeeded', account: 'acct_other' });
  expect(receive?.verify(delivery, now)).toBe(true);
  expect(receive?.read(delivery)).toMatchObject([{ accountExternalId: 'acct_other', about: 'changed' }]);
  expect(receive?.verify({ ...delivery, body: Buffer.from(`${Buffer.from(delivery.body)} `) }, now)).toBe(false);
  expect(receive?.verify(delivery, new Date(now.getTime() + 302_000))).toBe(false);
  expect(receive?.verify({ ...delivery, headers: {} }, now)).toBe(false);
  const gone = sandbox.book.stripe.webhook({ type: 'account.application.deauthorized' });
  expect(receive?.read(gone)).toMatchObject([{ about: 'disconnected' }]);
});
