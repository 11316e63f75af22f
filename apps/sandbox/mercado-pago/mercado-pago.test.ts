import { createHash, randomBytes } from 'node:crypto';
import { createMercadoPago, type ProviderRecord } from '@tributary/providers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { json, type Sandbox, startSandbox } from '../index.ts';
import { callTo, completeConsent } from '../testing.ts';

const start = new Date('2026-03-10T12:00:00Z');
let now = start;
const redirectUri = 'http://127.0.0.1:4000/handoff/callback';
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox({ seed: 3, now: () => now, market: { people: 3000, start: '2026-01-01', days: 60 } });
});
beforeEach(() => {
  now = start;
});
afterAll(() => sandbox.close());

const provider = () =>
  createMercadoPago({
    clientId: sandbox.settings.MERCADO_PAGO_CLIENT_ID,
    clientSecret: sandbox.settings.MERCADO_PAGO_CLIENT_SECRET,
    apiUrl: sandbox.settings.MERCADO_PAGO_API_URL,
    dialogUrl: sandbox.settings.MERCADO_PAGO_DIALOG_URL,
    webhookSecret: sandbox.settings.MERCADO_PAGO_WEBHOOK_SECRET,
  });
const call = () => callTo(sandbox, now);

async function open() {
  const { connect, sync } = provider();
  if (!connect || !sync) return expect.unreachable();
  const codeVerifier = randomBytes(32).toString('base64url');
  const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
  const back = connect.readCallback(
    await completeConsent(connect.authorizeUrl({ redirectUri, state: 's', codeChallenge })),
  );
  if (!('code' in back)) return expect.unreachable();
  const credentials = await connect.exchange({ code: back.code, redirectUri, codeVerifier }, call());
  return { connect, sync, credentials, account: { externalId: credentials.userId, credentials, details: {} } };
}

test('a consent with PKCE yields one seller, whose token is renewed at half its lifetime', async () => {
  const { connect, credentials } = await open();
  expect(await connect.candidates(credentials, call())).toMatchObject([
    { externalId: '740000001', name: 'SANDBOX_SELLER' },
  ]);
  expect(connect.refreshAt?.(credentials)?.toISOString()).toBe('2026-06-08T12:00:00.000Z');
  const fresh = await connect.refresh?.(credentials, call());
  expect(fresh?.refreshToken).not.toBe(credentials.refreshToken);
  await expect(connect.refresh?.(credentials, call())).rejects.toMatchObject({ details: { verdict: 'reconnect' } });
});

test('reads time windows without missing payments that move between them, and the last window again', async () => {
  const { sync, account } = await open();
  const { payments } = sandbox.book.mercadoPago;
  const paid = () => payments.filter(({ date_approved }) => date_approved !== null);
  expect(paid().length).toBeGreaterThan(500);
  const ledger = new Map<string, ProviderRecord>();
  let position = null as Parameters<typeof sync>[1];
  let searches = 0;
  // While a window is read, every search moves one of its payments into a later window.
  let moved = 0;
  const moving = (): ReturnType<typeof call> => {
    const { send, ...rest } = call();
    return {
      ...rest,
      send(request) {
        const { pathname, searchParams } = new URL(request.url);
        if (pathname.endsWith('/search')) searches += 1;
        const [begin = 0, end = 0] = ['begin_date', 'end_date'].map((name) => Date.parse(searchParams.get(name) ?? ''));
        const payment = paid().find(({ date_last_updated }) => {
          const at = Date.parse(date_last_updated);
          return at >= begin && at <= end;
        });
        if (payment && moved < 40 && Number(searchParams.get('offset')) > 0) {
          moved += 1;
          sandbox.book.mercadoPago.change(payment, {});
        }
        return send(request);
      },
    };
  };
  const read = async (by = call()) => {
    for await (const page of sync(account, position, by)) {
      for (const one of page.records)
        if (one.kind === 'outcome' || one.kind === 'refund') ledger.set(one.externalId, one);
      position = page.position;
    }
  };
  await read(moving());
  now = new Date(now.getTime() + 300_000);
  await read();
  const outcomes = [...ledger.values()].filter(({ kind }) => kind === 'outcome');
  expect(searches).toBeGreaterThan(10);
  expect(moved).toBeGreaterThan(2);
  expect(outcomes).toHaveLength(paid().length);
  // The books list the same payments by another field: their approval date.
  const { books } = provider();
  const listed = new Map<string, string>();
  const span = { from: new Date('2025-06-01'), until: new Date(now.getTime() + 1) };
  for await (const page of books?.payments?.(account, span, call()) ?? [])
    for (const { externalId, amount } of page) listed.set(externalId, amount);
  expect(listed).toEqual(
    new Map(
      outcomes.flatMap((records) => (records.kind === 'outcome' ? [[records.externalId, records.value ?? '']] : [])),
    ),
  );
  const [firstListed] = listed;
  expect(await books?.payment?.(account, firstListed?.[0] ?? '', call())).toMatchObject({ amount: firstListed?.[1] });
  expect(await books?.payment?.(account, '1', call())).toBeUndefined();
  const one = paid().find(({ id }) => id % 3 === 0 && id % 4 !== 3);
  expect(ledger.get(String(one?.id))).toMatchObject({ value: String(one?.transaction_amount), currency: 'MXN' });
  const masked = [...ledger.values()].flatMap((records) => (records.kind === 'outcome' ? [records.person] : []));
  expect(masked.every(({ email }) => email === undefined || email.includes('@'))).toBe(true);
  expect(masked.some(({ rut }) => rut === '12345678K')).toBe(true);
  expect([...ledger.keys()].filter((id) => id.startsWith('dispute-')).length).toBeGreaterThan(10);

  const [part, whole] = paid().filter(({ status, refunds }) => status === 'approved' && refunds.length === 0);
  if (!part || !whole) return expect.unreachable();
  now = new Date(now.getTime() + 3_600_000);
  sandbox.book.mercadoPago.refund(part, 1);
  sandbox.book.mercadoPago.refund(part, 2.5);
  sandbox.book.mercadoPago.change(whole, { status: 'in_mediation', status_detail: 'pending' });
  await read();
  const refunds = () => [...ledger.values()].flatMap((records) => (records.kind === 'refund' ? [records] : []));
  expect(
    refunds()
      .filter(({ ofExternalId, isDispute }) => !isDispute && ofExternalId === String(part.id))
      .map(({ amount }) => amount),
  ).toEqual(['1', '2.5']);
  expect(ledger.get(`dispute-${whole.id}`)).toMatchObject({
    isDispute: true,
    amount: String(whole.transaction_amount),
  });
  now = new Date(now.getTime() + 3_600_000);
  sandbox.book.mercadoPago.change(whole, { status: 'approved', status_detail: 'accredited' });
  await read();
  expect(ledger.get(`dispute-${whole.id}`)).toMatchObject({ isUndone: true });

  // A dispute after refunds covers the remainder, so that both together equal the payment.
  now = new Date(now.getTime() + 3_600_000);
  sandbox.book.mercadoPago.change(part, { status: 'charged_back', status_detail: 'settled' });
  await read();
  const disputed = ledger.get(`dispute-${part.id}`);
  expect(disputed).toMatchObject({ isDispute: true });
  expect(Number(disputed?.kind === 'refund' && disputed.amount)).toBeCloseTo(part.transaction_amount - 3.5, 6);
  now = new Date(now.getTime() + 3_600_000);
  sandbox.book.mercadoPago.change(part, { status: 'charged_back', status_detail: 'reimbursed' });
  await read();
  expect(ledger.get(`dispute-${part.id}`)).toMatchObject({ isUndone: true });
});

test('errors are classified by their status', async () => {
  const { connect, credentials } = await open();
  const answers = async (status: number, headers: Record<string, string> = {}) => {
    sandbox.say({ at: '/mercado-pago/users/me', reply: json(status, { status, error: 'e', message: 'm' }, headers) });
    return connect.candidates(credentials, call()).catch(({ details }) => [details.verdict, details.retryAfterMs]);
  };
  expect(await answers(401)).toEqual(['reconnect', undefined]);
  expect(await answers(403)).toEqual(['needs_action', undefined]);
  expect(await answers(429, { 'retry-after': '20' })).toEqual(['wait', 20_000]);
  expect(await answers(503)).toEqual(['wait', undefined]);
});

test('webhooks are signed over ids and time', () => {
  const { receive } = provider();
  const delivery = sandbox.book.mercadoPago.webhook({ type: 'payment', action: 'payment.updated', dataId: 'AbC9' });
  expect(receive?.verify(delivery, now)).toBe(true);
  expect(receive?.read(delivery)).toMatchObject([{ accountExternalId: '740000001', about: 'changed' }]);
  expect(receive?.verify({ ...delivery, headers: { ...delivery.headers, 'x-request-id': 'other' } }, now)).toBe(false);
  expect(receive?.verify({ ...delivery, headers: {} }, now)).toBe(false);
  const gone = sandbox.book.mercadoPago.webhook({ type: 'mp-connect', action: 'application.deauthorized' });
  expect(receive?.read(gone)).toMatchObject([{ about: 'disconnected' }]);
  // A harmless action, and the deauthorization action on another type.
  for (const [type, action] of [
    ['mp-connect', 'application.authorized'],
    ['payment', 'application.deauthorized'],
  ] as const)
    expect(receive?.read(sandbox.book.mercadoPago.webhook({ type, action }))).toMatchObject([{ about: 'changed' }]);
});
