import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOutbound, localDevelopmentTargets } from '@tributary/outbound';
import { type EventSender, openEventSender, openTest, paymentEvent } from '@tributary/testkit';
import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { jobHandlers } from './jobs.ts';

const ecb = `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
<Cube><Cube time='2026-05-04'><Cube currency='USD' rate='1.25'/><Cube currency='GBP' rate='0.8'/></Cube></Cube></gesmes:Envelope>`;
const bcch = JSON.stringify({
  Codigo: 0,
  Series: { Obs: [{ indexDateString: '04-05-2026', value: '950.5', statusCode: 'OK' }] },
});

const { kit, api } = await openTest();
let sender: EventSender;
let answers: Record<string, { status: number; body: string }>;
const banks = createServer((request, response) => {
  const { status, body } = answers[request.url ?? ''] ?? { status: 404, body: '' };
  response.writeHead(status).end(body);
});
await new Promise<void>((resolve) => banks.listen(0, '127.0.0.1', resolve));
afterAll(() => void banks.close());
const origin = `http://127.0.0.1:${(banks.address() as AddressInfo).port}`;
beforeEach(async () => {
  sender = await openEventSender(kit, api);
  answers = { '/ecb': { status: 200, body: ecb }, '/bcch': { status: 200, body: bcch } };
});

const fetchRates = () =>
  jobHandlers({
    app: kit.app,
    system: kit.system,
    clickhouse: {} as never,
    quick: {} as never,
    patient: {} as never,
    stream: {} as never,
    ingestion: {} as never,
    deliveries: {} as never,
    languageModel: undefined,
    mailing: { mailer: undefined, baseUrl: 'https://tributary.test' },
    syncing: {} as never,
    now: () => kit.clock.now(),
    badVisitDays: 30,
    visitsRetentionDays: undefined,
    rateSources: { ecb: `${origin}/ecb`, bcch: `${origin}/bcch` },
    outbound: createOutbound({ timeoutMs: 5_000, maxResponseBytes: 1 << 20, policy: localDevelopmentTargets }),
  }).fetchRates({}, new AbortController().signal);
const getReportedAmounts = async () =>
  Object.fromEntries((await sender.outcomes()).map((row) => [row.idempotency_key, row.reporting_amount]));

test('stores published rates, converts the payments that waited for them once, and marks them dirty', async () => {
  await sender.post(paymentEvent({ key: 'gbp', day: 5, value: '2', currency: 'GBP' }));
  await sender.post(paymentEvent({ key: 'early', day: 3, value: '2', currency: 'GBP' }));
  await sender.post(paymentEvent({ key: 'ars', day: 5, value: '2', currency: 'ARS' }));
  expect(await getReportedAmounts()).toEqual({ gbp: null, early: null, ars: null });
  const ledger = kit.app.forProfile(sender.profileId);
  await ledger.transaction((tx) => tx.deleteFrom('dirty_conversions').execute());

  await fetchRates();
  // 0.8 pounds and 1.25 dollars are one euro, so two pounds are 3.125 dollars, at 950.5 pesos each.
  expect(await getReportedAmounts()).toEqual({ gbp: '2970', early: null, ars: null });
  const dirty = await ledger.transaction((tx) => tx.selectFrom('dirty_conversions').select('causes').execute());
  expect(dirty).toEqual([{ causes: ['rate'] }]);
  const waiting = await ledger.transaction((tx) => tx.selectFrom('outcomes_without_rate').select('currency').execute());
  expect(waiting.map(({ currency }) => currency).sort()).toEqual(['ARS', 'GBP']);

  await kit.system.unbound.query(sql`UPDATE exchange_rates SET per_usd = 1 WHERE currency = 'CLP'`);
  await fetchRates();
  expect((await getReportedAmounts()).gbp).toBe('2970');
  // The history keeps every replaced rate.
  const { rows } = await kit.system.unbound.query(
    sql<{
      rate: string;
    }>`SELECT per_usd::text AS rate FROM exchange_rates_history WHERE currency = 'CLP' ORDER BY replaced_at`,
  );
  expect(rows.map(({ rate }) => Number(rate))).toEqual([950.5, 1]);
});

test('fails the job if one source fails, but still stores the rates of the other', async () => {
  await kit.system.unbound.query(sql`UPDATE exchange_rates SET per_usd = 1 WHERE currency = 'CLP'`);
  answers['/ecb'] = { status: 200, body: '<html>Sorry</html>' };
  await expect(fetchRates()).rejects.toThrow('Not every source');
  const { rows } = await kit.system.unbound.query(
    sql<{ rate: string }>`SELECT per_usd::text AS rate FROM exchange_rates WHERE currency = 'CLP'`,
  );
  expect(rows.map(({ rate }) => Number(rate))).toEqual([950.5]);
});
