import { createFintoc, type OutcomeRecord } from '@tributary/providers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { json, type Sandbox, startSandbox } from '../index.ts';
import { callTo } from '../testing.ts';

let now = new Date('2026-03-10T12:00:00Z');
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ seed: 3, now: () => now, market: { people: 3000, start: '2026-01-01', days: 60 } });
});
afterAll(() => sandbox.close());

const provider = () =>
  createFintoc({
    secretKey: sandbox.settings.FINTOC_SECRET_KEY,
    publicKey: sandbox.settings.FINTOC_PUBLIC_KEY,
    apiUrl: sandbox.settings.FINTOC_API_URL,
    widgetUrl: sandbox.settings.FINTOC_WIDGET_URL,
    webhookSecret: sandbox.settings.FINTOC_WEBHOOK_SECRET,
  });
const call = () => callTo(sandbox, now);

test('incoming transfers are payments of their senders, and the last week is read again', async () => {
  const { link, sync } = provider();
  if (!link?.start || !sync) return expect.unreachable();
  const { widgetToken } = await link.start({ country: 'cl', holderType: 'business' }, call());
  const given = sandbox.book.fintoc.endWidget(widgetToken);
  const [current, sight] = await link.finish(given, call());
  expect([current?.name, sight?.externalId]).toEqual(['Banco Sandbox Cuenta corriente …5678', 'acc_sight']);
  // The token can be exchanged only once.
  await expect(link.finish(given, call())).rejects.toMatchObject({ details: { verdict: 'refused' } });
  if (!current) return expect.unreachable();

  const read = async (from: Parameters<typeof sync>[1]) => {
    const records: OutcomeRecord[] = [];
    let position = from;
    for await (const page of sync(current, from, call())) {
      records.push(...(page.records as OutcomeRecord[]));
      position = page.position;
      expect(JSON.stringify(position)).not.toContain(current.credentials.linkToken);
    }
    return { records, position };
  };
  const counted = sandbox.book.fintoc.movements.filter(
    ({ amount, type, pending }) => amount > 0 && type === 'transfer' && !pending,
  );
  expect(sandbox.book.fintoc.movements.length).toBeGreaterThan(600);
  const first = await read(null);
  expect(first.records.map(({ externalId, value }) => [externalId, value])).toEqual(
    counted.map(({ id, amount }) => [id, String(amount)]),
  );
  expect(first.records[0]).toMatchObject({
    currency: 'CLP',
    outcomeType: 'payment_received',
    person: { rut: '12345678K' },
  });

  now = new Date(now.getTime() + 86_400_000);
  const fresh = sandbox.book.fintoc.receive(45_990);
  const second = await read(first.position);
  expect(second.records.map(({ externalId }) => externalId)).toEqual([fresh.id]);

  const gone = { ...current, credentials: { ...current.credentials, linkToken: 'link_gone' } };
  const answer = async () => {
    for await (const page of sync(gone, null, call())) return page;
    return undefined;
  };
  // A rejected operator key does not affect the merchant's consent, but an ended link does.
  sandbox.say({ at: '/fintoc', reply: json(400, { error: { type: 'link_error', code: 'link_ended', message: 'm' } }) });
  await expect(answer()).rejects.toMatchObject({ details: { verdict: 'reconnect' } });
  sandbox.say({ at: '/fintoc', reply: json(400, { error: { type: 'institution_error', message: 'm' } }) });
  await expect(answer()).rejects.toMatchObject({ details: { verdict: 'wait' } });
});

test('webhooks name the refreshed account', () => {
  const { receive } = provider();
  const delivery = sandbox.book.fintoc.webhook({ type: 'account.refresh_intent.succeeded', account: 'acc_current' });
  expect(receive?.verify(delivery, now)).toBe(true);
  expect(receive?.read(delivery)).toMatchObject([{ accountExternalId: 'acc_current', about: 'changed' }]);
  expect(receive?.verify({ ...delivery, body: Buffer.from('{}') }, now)).toBe(false);
});
