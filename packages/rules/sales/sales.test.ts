import type { MatchDecision } from '@tributary/vocabulary';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ReportedRefund } from '../refunds.ts';
import { type CountableRecord, groupSales, isSystematicOverlap } from './group-sales.ts';
import { matchRecords, pairKey, type SaleRecord } from './match-records.ts';
import { mergeRefunds } from './merge-refunds.ts';
import { referencesOf, type SaleReference } from './references.ts';

const minute = 60_000;
const record = (id: string, more: Partial<SaleRecord> = {}): SaleRecord => ({
  id,
  key: id,
  source: id.split('-')[0] as string,
  customerId: 'ana',
  amount: '49.9',
  currency: 'USD',
  at: 0,
  installment: null,
  references: [],
  ...more,
});
const ref = (value: string, level: SaleReference['level'] = 'payment') => ({ references: [{ value, level }] });
const options = { windowMs: 10 * minute, decisions: new Map() };
const pairs = (records: readonly SaleRecord[], more: Partial<typeof options> = {}) =>
  matchRecords(records, { ...options, ...more })
    .map(({ first, second }) => pairKey(first, second))
    .sort();

const kinds = { api: 'server', stripe: 'payments', shopify: 'store', csv: 'file' } as const;
const countable = (one: SaleRecord): CountableRecord => ({
  ...one,
  kind: kinds[one.source as keyof typeof kinds] ?? 'server',
  isIdentified: one.customerId !== null,
  isExcluded: false,
});
type Overlap = 'systematic' | 'unknown' | 'never';
const sales = (
  records: readonly SaleRecord[],
  overlap: Overlap = 'systematic',
  decisions: ReadonlyMap<string, MatchDecision> = new Map(),
) =>
  groupSales(records.map(countable), matchRecords(records, { ...options, decisions }), {
    decisions,
    overlap: () => overlap,
  });
const countedOf = (records: readonly SaleRecord[], overlap: Overlap = 'systematic') =>
  sales(records, overlap)
    .sales.map(({ counted }) => counted)
    .sort();

describe('matching records', () => {
  test('matches records that share a reference, with any customer and time', () => {
    const records = [
      record('api-1', { ...ref('ch_0000001'), customerId: null }),
      record('stripe-1', { ...ref('ch_0000001'), at: 9 * 86_400_000 }),
    ];
    expect(matchRecords(records, options)).toMatchObject([
      { evidence: 'reference', reference: 'ch_0000001', isCertain: true },
    ]);
  });

  test('matches an order reference with another amount as a suggestion only', () => {
    const records = [
      record('api-1', ref('5000001001', 'order')),
      record('shopify-1', { ...ref('5000001001', 'order'), amount: '9' }),
    ];
    expect(matchRecords(records, options)).toMatchObject([{ isCertain: false, isLikely: false }]);
    expect(countedOf(records)).toEqual(['api-1', 'shopify-1']);
  });

  test('counts a sale once by an order number only for the same customer, or if the two sources overlap systematically', () => {
    const [one, other] = [
      record('api-1', ref('1001', 'order')),
      record('shopify-1', { ...ref('1001', 'order'), at: 60 * minute }),
    ];
    expect(countedOf([one, other], 'unknown')).toEqual(['shopify-1']);
    const guest = { ...other, customerId: null };
    expect(countedOf([one, guest], 'unknown')).toEqual(['api-1', 'shopify-1']);
    expect(countedOf([one, guest], 'systematic')).toEqual(['api-1']);
    expect(matchRecords([one, { ...guest, amount: '9' }], options)).toEqual([]);
  });

  test('does not match by an authorization code of six digits', () => {
    const records = [record('api-1', ref('123456')), record('stripe-1', { ...ref('123456'), customerId: 'bo' })];
    expect(countedOf(records, 'unknown')).toEqual(['api-1', 'stripe-1']);
  });

  test('matches equal purchases of a customer in order, and counts the one without a partner', () => {
    const api = [record('api-1'), record('api-2', { at: 30_000 })];
    expect(pairs([...api, record('stripe-1', { at: 20_000 }), record('stripe-2', { at: 50_000 })])).toEqual([
      'api-1|stripe-1',
      'api-2|stripe-2',
    ]);
    expect(pairs([...api, record('stripe-1', { at: 29_000 })])).toEqual(['api-2|stripe-1']);
    expect(countedOf([...api, record('stripe-1', { at: 29_000 })])).toEqual(['api-1', 'stripe-1']);
  });

  test('never matches two records of one source, different amounts, other customers or records outside the window', () => {
    expect(pairs([record('api-1'), record('api-2')])).toEqual([]);
    expect(pairs([record('api-1'), record('stripe-1', { amount: '49.91' })])).toEqual([]);
    expect(pairs([record('api-1'), record('stripe-1', { currency: 'EUR' })])).toEqual([]);
    expect(pairs([record('api-1'), record('stripe-1', { customerId: 'bo' })])).toEqual([]);
    expect(pairs([record('api-1', { customerId: null }), record('stripe-1', { customerId: null })])).toEqual([]);
    expect(pairs([record('api-1'), record('stripe-1', { at: 10 * minute + 1 })])).toEqual([]);
  });

  test('matches an installment with the same installment only', () => {
    const api = [1, 2].map((n) => record(`api-${n}`, { ...ref('order-7', 'order'), installment: String(n) }));
    const stripe = [record('stripe-2', { ...ref('order-7', 'order'), installment: '2' })];
    expect(pairs([...api, ...stripe])).toEqual(['api-2|stripe-2']);
  });

  test('counts a sale once by customer and amount only if the two sources overlap systematically', () => {
    const records = [record('api-1'), record('stripe-1', { at: minute })];
    expect(countedOf(records, 'systematic')).toEqual(['stripe-1']);
    expect(countedOf(records, 'unknown')).toEqual(['api-1', 'stripe-1']);
    expect(countedOf(records, 'never')).toEqual(['api-1', 'stripe-1']);
    expect([isSystematicOverlap(19, 19), isSystematicOverlap(20, 6), isSystematicOverlap(20, 5)]).toEqual([
      false,
      true,
      false,
    ]);
  });

  test('counts the payment provider before the store, the server event and the file', () => {
    const all = ['csv-1', 'api-1', 'shopify-1', 'stripe-1'].map((id) => record(id));
    expect(sales(all).sales).toEqual([{ counted: 'stripe-1', records: ['stripe-1', 'shopify-1', 'api-1', 'csv-1'] }]);
  });

  test('counts records confirmed by a member once, also when nothing else matches them any more', () => {
    const records = [record('api-1'), record('stripe-1', { amount: '60', customerId: null, at: 90 * minute })];
    const decisions = new Map([[pairKey('api-1', 'stripe-1'), 'confirmed' as const]]);
    expect(matchRecords(records, { ...options, decisions })).toMatchObject([
      { evidence: 'decision', reference: null, isCertain: false, isLikely: false },
    ]);
    expect(sales(records, 'never', decisions).sales).toMatchObject([{ counted: 'api-1' }]);
    expect(sales(records, 'never').sales).toHaveLength(2);
  });

  test('keeps records apart that a member rejected, also through a third record', () => {
    const all = ['api-1', 'shopify-1', 'stripe-1'].map((id) => record(id));
    const decisions = new Map([[pairKey('api-1', 'stripe-1'), 'rejected' as const]]);
    const formed = sales(all, 'systematic', decisions).sales;
    expect(formed.some(({ records }) => records.includes('api-1') && records.includes('stripe-1'))).toBe(false);
    expect(formed).toHaveLength(2);
  });
});

const arbitrary = fc
  .array(
    fc.record({
      source: fc.constantFrom('api', 'stripe', 'shopify', 'csv'),
      customerId: fc.constantFrom('ana', 'bo', null),
      amount: fc.constantFrom('10', '20'),
      at: fc.integer({ min: 0, max: 40 }).map((minutes) => minutes * minute),
      reference: fc.option(fc.constantFrom('ch_1', 'ch_2', 'ord_1', 'ord_2'), { nil: null }),
      installment: fc.option(fc.constantFrom('1', '2'), { nil: null }),
    }),
    { maxLength: 14 },
  )
  .map((rows) =>
    rows.map(({ reference, ...row }, index) =>
      record(`${row.source}-${String(index).padStart(2, '0')}`, {
        ...row,
        references: reference ? [{ value: reference, level: reference.startsWith('ord') ? 'order' : 'payment' }] : [],
      }),
    ),
  );

describe('for any set of records', () => {
  test('the result does not depend on their order or on their ids', () => {
    fc.assert(
      fc.property(arbitrary, fc.infiniteStream(fc.integer()), (records, numbers) => {
        // Ids follow the order of arrival; keys are fixed.
        const order = records.map((one) => ({ one, n: numbers.next().value as number })).sort((a, b) => a.n - b.n);
        const arrived = order.map(({ one }, index) => ({ ...one, id: `id-${String(index).padStart(3, '0')}` }));
        const keyOf = new Map(arrived.map(({ id, key }) => [id, key]));
        const named = (found: ReturnType<typeof sales>) =>
          found.sales
            .map(
              ({ counted, records: ids }) =>
                `${keyOf.get(counted ?? '') ?? counted}:${ids.map((id) => keyOf.get(id) ?? id).sort()}`,
            )
            .sort();
        expect(named(sales(arrived))).toEqual(named(sales(records)));
      }),
    );
  });

  test('a sale has one record per source and one counted record, and every record belongs to one sale', () => {
    fc.assert(
      fc.property(arbitrary, (records) => {
        const sourceOf = new Map(records.map(({ id, source }) => [id, source]));
        const formed = sales(records).sales;
        for (const { counted, records: ids } of formed) {
          expect(new Set(ids.map((id) => sourceOf.get(id))).size).toBe(ids.length);
          expect(ids).toContain(counted);
        }
        expect(formed.flatMap(({ records: ids }) => ids).sort()).toEqual(records.map(({ id }) => id).sort());
      }),
    );
  });

  test('rejecting every match counts every record, and undoing the rejections restores the sales', () => {
    fc.assert(
      fc.property(arbitrary, (records) => {
        const decisions = new Map<string, 'rejected'>();
        for (let round = 0; round < 50; round += 1) {
          const found = matchRecords(records, { ...options, decisions });
          if (found.length === 0) break;
          for (const { first, second } of found) decisions.set(pairKey(first, second), 'rejected');
        }
        expect(sales(records, 'systematic', decisions).sales).toHaveLength(records.length);
        expect(sales(records)).toEqual(sales(records, 'systematic', new Map()));
      }),
    );
  });
});

describe('refunds of a sale', () => {
  const refund = (amount: string, more: Partial<ReportedRefund> = {}): ReportedRefund => ({
    kind: 'refund',
    status: 'completed',
    amount,
    currency: 'USD',
    ...more,
  });
  const amounts = (...records: ReportedRefund[][]) =>
    mergeRefunds(records)
      .map(({ amount }) => amount)
      .sort();

  test('counts a refund reported by two records once, and a refund reported by one record, too', () => {
    expect(amounts([refund('10')], [refund('10.00')])).toEqual(['10']);
    expect(amounts([refund('10')], [refund('10'), refund('5')])).toEqual(['10', '5']);
    expect(amounts([], [refund('5'), refund('5')], [refund('5')])).toEqual(['5', '5']);
    expect(amounts([refund('7', { status: 'withdrawn' })], [])).toEqual([]);
  });
});

describe('references', () => {
  test('come from ids, properties and metadata; short counters are ignored', () => {
    const keys = [{ value: 'order-1', level: 'payment' as const }];
    const properties = {
      order_id: 'gid://shopify/Order/1001',
      payment_id: 7,
      charge: 'ch_1234',
      metadata: { order_id: '#2002' },
    };
    expect(referencesOf({ keys, properties })).toEqual([
      { value: 'order-1', level: 'payment' },
      { value: '1001', level: 'order' },
      { value: 'ch_1234', level: 'payment' },
      { value: '2002', level: 'order' },
    ]);
  });
});
