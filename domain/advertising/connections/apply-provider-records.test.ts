import { createMercadoPago, type ProviderRecord } from '@tributary/providers';
import { buildConnection, buildMarkedProfile, openKit, testOutcomeServices } from '@tributary/testkit';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { applyProviderRecords } from './apply-provider-records.ts';

const kit = await openKit();
const now = kit.clock.now();
const occurredAt = '2026-06-14T12:00:00.000Z';

async function openStore() {
  const profile = await buildMarkedProfile(kit);
  const connectionId = await buildConnection(kit, profile, { channel: 'payments_b' });
  const context = {
    profileId: profile.id,
    connectionId,
    channel: 'payments_b',
    services: testOutcomeServices,
    now,
  } as const;
  const ledger = kit.app.forProfile(profile.id);
  return {
    record: (records: readonly ProviderRecord[]) =>
      ledger.transaction((tx) => applyProviderRecords(tx, context, records)),
    count: async () => {
      const { rows } = await ledger.transaction((tx) =>
        sql<{ payments: number; refunds: number }>`
          SELECT (SELECT count(*)::int FROM outcomes) AS payments, (SELECT count(*)::int FROM payment_refunds) AS refunds`.execute(
          tx,
        ),
      );
      return rows[0];
    },
  };
}

const payment = (externalId: string, more: object = {}): ProviderRecord => ({
  kind: 'outcome',
  externalId,
  outcomeType: 'payment_received',
  occurredAt,
  value: '100',
  currency: 'CLP',
  person: {},
  ...more,
});
const refund = (externalId: string, more: object = {}): ProviderRecord => ({
  kind: 'refund',
  externalId,
  ofExternalId: 'p1',
  amount: '10',
  currency: 'CLP',
  occurredAt,
  isDispute: false,
  ...more,
});

test('rejects a record that the ledger cannot store and stores the others of the page', async () => {
  const { record, count } = await openStore();
  const rejected = await record([
    payment('p1'),
    payment('p2', { occurredAt: 'soon' }),
    refund('r1'),
    refund('r2', { occurredAt: 'soon' }),
    refund('r3', { amount: '1e400' }),
    refund('r4', { amount: '-3' }),
    refund('r5', { currency: 'pesos' }),
    refund('r6'.repeat(2_000)),
    refund('r7', { ofExternalId: 'p'.repeat(5_000) }),
    refund('r8', { ofExternalId: 'p\u0000' }),
  ]);
  expect(rejected.map(({ externalId }) => externalId.slice(0, 2))).toEqual([
    'p2',
    'r2',
    'r3',
    'r4',
    'r5',
    'r6',
    'r7',
    'r8',
  ]);
  expect(await count()).toEqual({ payments: 1, refunds: 1 });
});

test('ignores a refund of zero without rejecting it', async () => {
  const { record, count } = await openStore();
  expect(await record([payment('p1'), refund('r1', { amount: '0.00' }), refund('r2', { amount: '0' })])).toEqual([]);
  expect(await count()).toEqual({ payments: 1, refunds: 0 });
});

test('a dispute of a fully refunded payment does not hold any amount', async () => {
  const { sync } = createMercadoPago({
    clientId: 'a',
    clientSecret: 'b',
    apiUrl: 'https://mp.test',
    dialogUrl: 'https://mp.test',
    webhookSecret: undefined,
  });
  const row = {
    id: 1,
    status: 'in_mediation',
    transaction_amount: 100,
    transaction_amount_refunded: 100,
    currency_id: 'CLP',
    date_approved: occurredAt,
    date_last_updated: '2026-06-14T13:00:00.000Z',
    refunds: [{ id: 2, amount: 100, date_created: occurredAt, status: 'approved' }],
  };
  const call = {
    now,
    signal: AbortSignal.timeout(10_000),
    send: async () => ({ status: 200, headers: {}, text: JSON.stringify({ paging: { total: 1 }, results: [row] }) }),
  };
  const account = {
    externalId: '1',
    credentials: { accessToken: 't', refreshToken: null, renewAt: occurredAt, userId: '1', granted: [] },
    details: {},
  };
  for await (const { records } of sync?.(account, null, call) ?? []) {
    expect(records).toMatchObject([
      { externalId: '1' },
      { externalId: '2', amount: '100' },
      { externalId: 'dispute-1', amount: '100', isUndone: true },
    ]);
    return;
  }
  expect.unreachable();
});
