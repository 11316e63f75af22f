import { createClickHouse } from '@tributary/clickhouse';
import { saveRates } from '@tributary/domain/commerce/money/module.ts';
import { applyWaitingRefunds, firstPayments } from '@tributary/domain/commerce/payments/module.ts';
import { sumAmounts } from '@tributary/rules';
import { type Drill, openApi, openDrillKit, openWarehouse, processQueue, scene, settleAll } from '@tributary/testkit';
import { sql } from 'kysely';
import { numbersFrom } from './numbers-from.ts';
import {
  type Booked,
  type Currency,
  dollars,
  eventOf,
  least,
  minor,
  net,
  rates,
  refundOf,
  reporting,
  reversed,
  text,
} from './payments-book.ts';
import { openReports } from './report-reader.ts';

const sizes = { small: { payments: 60, actions: 400 }, full: { payments: 1_000, actions: 10_000 } } as const;
const actors = 6;
const customers = 25;
/** Concurrent actors change payments as merchants, gateways and syncs do. After each round, all work is processed and compared with the book. */
export const drill: Drill = {
  name: 'payments',
  promise:
    'After any merchant actions, refunds and undos, the ledger, the payment list and the reports have the same totals to the minor unit, and undoing everything restores the first state.',

  async run({ size, progress }) {
    const { payments, actions } = sizes[size];
    const kit = await openDrillKit('drill-payments', ['postgres', 'redis', 'clickhouse']);
    const warehouse = await openWarehouse(kit);
    const settings = { ...kit.clickhouse, database: kit.clickhouseDatabase, requestTimeoutMs: 600_000 };
    const clickhouse = createClickHouse(settings);
    const api = await openApi(kit, { clickhouse });
    const dice = numbersFrom(20_261_116);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(dice() * from.length)] as T;
    try {
      const shop = await scene(
        { kit, api, clickhouse },
        { scopes: ['commerce:read', 'attribution:write', 'campaigns:read'], requestsPerMinute: 600_000 },
      );
      const quotes = Object.entries(rates).map(([currency, units]) => ({
        day: '2026-01-01',
        currency,
        units,
        usd: '1',
      }));
      await saveRates(kit.system, 'file', quotes);
      await shop.touch(
        ...Array.from({ length: customers }, (_, index) => ({
          visitor_id: visitorOf(index),
          occurred_at: '2026-04-30T00:00:00.000Z',
          kind: 'visit' as const,
          platform: 'social_ads',
          campaign_id: shop.entity('campaign', `c-${index % 5}`),
        })),
      );
      const book: Booked[] = Array.from({ length: payments }, (_, index) => ({
        key: `p-${index}`,
        currency: pick(Object.keys(rates) as Currency[]),
        amount: BigInt(1 + Math.floor(dice() * 500_000)),
        refunds: new Map(),
        manual: null,
        payer: null,
        customer: `customer-${Math.floor(dice() * customers)}`,
        isInstallment: false,
        id: '',
        isBusy: false,
      }));
      const send = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, body?: object) => {
        const response = await shop.call(method, `/api/v1${url}`, body);
        return { status: response.statusCode, body: response.json() };
      };
      const must = async (response: ReturnType<typeof send>, ...statuses: number[]) => {
        const { status, body } = await response;
        if (!statuses.includes(status)) throw new Error(`${status}: ${JSON.stringify(body)}`);
        return body;
      };
      const pay = async (one: Booked) => {
        const body = await must(send('POST', '/events', eventOf(one)), 202);
        one.id = body.data.outcome_event_id;
      };
      for (const one of book) await pay(one);
      for (let index = 0; index < customers; index += 1) await shop.link(visitorOf(index), `customer-${index}`);

      const settle = async () => {
        await applyWaitingRefunds(kit.app, kit.system, kit.clock.now(), AbortSignal.timeout(60_000));
        await processQueue(kit.system, 'firstPayments', firstPayments(kit.app));
        await settleAll({ app: kit.app, system: kit.system, clickhouse });
      };
      const reports = openReports(api.fastify, { ...shop.full });
      const state = async () => {
        await settle();
        return { rows: await listAll(send), parts: await reports.parts(period), ledger: await ledgerOf(shop) };
      };
      const faults: string[] = [];
      const compare = ({ rows, parts, ledger }: Awaited<ReturnType<typeof state>>, when: string) => {
        const expected = book.reduce((sum, one) => sum + reporting(one), 0n);
        const shown = new Map(rows.map((row) => [row.external_id, row]));
        for (const one of book) {
          const row = shown.get(one.key);
          const want = [
            text(net(one), one.currency),
            dollars(reporting(one)),
            one.payer ?? one.customer,
            one.isInstallment,
          ];
          const got = row && [
            text(minor(row.net, one.currency), one.currency),
            row.reporting_net,
            row.customer_key,
            row.is_installment,
          ];
          if (JSON.stringify(want) !== JSON.stringify(got)) faults.push(`${when} ${one.key}: ${got}, not ${want}`);
        }
        const sums = {
          list: sumAmounts(rows.map((row) => row.reporting_net)),
          ledger,
          reports: sumAmounts(parts.map((part) => String(part.outcome_value))),
        };
        for (const [where, sum] of Object.entries(sums))
          if (minor(sum, 'USD') !== expected) faults.push(`${when} ${where}: ${sum}, not ${dollars(expected)}`);
        const count = parts.reduce((sum, part) => sum + Number(part.outcome_count), 0);
        if (count !== payments) faults.push(`${when}: ${count} payments counted, not ${payments}`);
      };
      const first = await state();
      compare(first, 'at first');

      let done = 0;
      const counts: Record<string, number> = {};
      const workOnce = async () => {
        const one = pick(book);
        if (one.isBusy) return void (await pause());
        one.isBusy = true;
        done += 1;
        try {
          const name = await act(one, { pick, dice, send, must, pay, book });
          counts[name] = (counts[name] ?? 0) + 1;
        } finally {
          one.isBusy = false;
        }
        progress(done, actions, 'actions');
      };
      for (let round = 1; round <= 4; round += 1) {
        const until = Math.floor((actions * round) / 4);
        const worker = new Worker(settle);
        await Promise.all(
          Array.from({ length: actors }, async () => {
            while (done < until) await workOnce();
          }),
        );
        await worker.stop();
        compare(await state(), `after ${done}`);
      }
      const worker = new Worker(settle);
      for (const one of book) await undoAll(one, { send, must });
      await worker.stop();
      const last = await state();
      compare(last, 'undone');
      const same = JSON.stringify(first) === JSON.stringify(last);
      if (!same) faults.push('What is left after all was undone is not what was there at first.');
      const entries = await shop.ledger.transaction((tx) =>
        sql<{ n: number }>`SELECT count(*)::int AS n FROM payment_entries`.execute(tx),
      );
      return {
        passed: faults.length === 0 && done >= actions,
        payments,
        actions: done,
        ...counts,
        entries: entries.rows[0]?.n ?? 0,
        total: dollars(book.reduce((sum, one) => sum + reporting(one), 0n)),
        is_as_at_first: same,
        faults: faults.length,
        ...(faults[0] && { first: faults[0] }),
      };
    } finally {
      await api.close();
      await clickhouse.close();
      await warehouse.drop();
      await kit.close();
    }
  },
};

type Send = (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  url: string,
  body?: object,
) => Promise<{ status: number; body: ApiResponse }>;
// biome-ignore lint/suspicious/noExplicitAny: responses of many routes.
type ApiResponse = any;
interface ActorTools {
  readonly send: Send;
  readonly must: (response: ReturnType<Send>, ...statuses: number[]) => Promise<ApiResponse>;
}

/** Performs a random action on a payment and writes the expected result into the book. Resolves to the name of the action. */
async function act(
  one: Booked,
  {
    pick,
    dice,
    send,
    must,
    pay,
    book,
  }: ActorTools & {
    readonly pick: <T>(from: readonly T[]) => T;
    readonly dice: () => number;
    readonly pay: (one: Booked) => Promise<void>;
    readonly book: readonly Booked[];
  },
): Promise<string> {
  const action = pick([
    'told',
    'told',
    'manual',
    'undo',
    'payer',
    'withdraw',
    'installment',
    'again',
    'dry',
    'repeat',
  ] as const);
  const path = `/payments/${one.id}`;
  const some = () => 1n + BigInt(Math.floor(dice() * Number(one.amount)));
  switch (action) {
    case 'told': {
      const key = `r-${Math.floor(dice() * 3)}`;
      const refund = { amount: some(), isWithdrawn: dice() < 0.3 };
      await must(send('POST', '/events', refundOf(one, key, refund)), 202);
      one.refunds.set(key, refund);
      return action;
    }
    case 'repeat': {
      for (const [key, refund] of one.refunds) await must(send('POST', '/events', refundOf(one, key, refund)), 202);
      return action;
    }
    case 'manual': {
      const amount = some();
      const left = one.amount - least(reversed(one), one.amount);
      const { status, body } = await send('POST', `${path}/refund`, { amount: text(amount, one.currency) });
      const isAccepted = one.manual === null && amount <= left;
      if ((status === 200) !== isAccepted)
        throw new Error(`A refund by hand answered ${status}: ${JSON.stringify(body)}`);
      if (isAccepted) one.manual = amount;
      return isAccepted ? action : 'refused';
    }
    case 'undo':
      await must(send('DELETE', `${path}/refund`), one.manual === null ? 404 : 200);
      one.manual = null;
      return action;
    case 'payer':
      one.payer = pick(book).customer;
      await must(send('PUT', `${path}/payer`, { customer_key: one.payer }), 200, 502);
      return action;
    case 'withdraw':
      await must(send('PUT', `${path}/payer`, { customer_key: null }), 200, 502);
      one.payer = null;
      return action;
    case 'installment':
      one.isInstallment = dice() < 0.5;
      await must(send('PUT', `${path}/installment`, { is_installment: one.isInstallment }), 200);
      return action;
    case 'again':
      await pay(one);
      return action;
    case 'dry':
      await must(send('PUT', `${path}/installment?dry_run=true`, { is_installment: !one.isInstallment }), 200);
      await send('POST', `${path}/refund?dry_run=true`, {});
      return action;
  }
}

async function undoAll(one: Booked, { send, must }: ActorTools): Promise<void> {
  const path = `/payments/${one.id}`;
  for (const [key, refund] of one.refunds)
    if (!refund.isWithdrawn) {
      refund.isWithdrawn = true;
      await must(send('POST', '/events', refundOf(one, key, refund)), 202);
    }
  if (one.manual !== null) await must(send('DELETE', `${path}/refund`), 200);
  if (one.payer !== null) await must(send('PUT', `${path}/payer`, { customer_key: null }), 200, 502);
  if (one.isInstallment) await must(send('PUT', `${path}/installment`, { is_installment: false }), 200);
  Object.assign(one, { manual: null, payer: null, isInstallment: false });
}

const period = { date_from: '2026-05-01', date_to: '2026-05-31', model: 'last_touch' } as const;

async function listAll(send: Send): Promise<ApiResponse[]> {
  const rows: ApiResponse[] = [];
  for (let cursor = ''; ; ) {
    const query = new URLSearchParams({
      from: period.date_from,
      to: period.date_to,
      limit: '100',
      ...(cursor && { cursor }),
    });
    const { body } = await send('GET', `/payments?${query}`);
    rows.push(...body.data);
    if (!body.pagination.has_next) return rows;
    cursor = body.pagination.cursor;
  }
}

/** The sum of the customer totals, which the ledger maintains. */
async function ledgerOf({ ledger }: Awaited<ReturnType<typeof scene>>): Promise<string> {
  const { rows } = await ledger.transaction((tx) =>
    sql<{ total: string }>`SELECT sum(amount)::text AS total FROM outcome_totals`.execute(tx),
  );
  return rows[0]?.total ?? '0';
}

/** Processes queued work repeatedly, as a worker next to the API does. */
class Worker {
  #isStopping = false;
  readonly #done: Promise<void>;

  constructor(settle: () => Promise<void>) {
    this.#done = (async () => {
      while (!this.#isStopping) {
        await settle();
        await pause();
      }
    })();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#done;
  }
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 20));

const visitorOf = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
