import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareAmounts, sumAmounts } from './money.ts';
import { netAmount, type ReportedRefund, reversalsOf } from './refunds.ts';

const paid = { amount: '100', currency: 'USD' };
const refund = (amount: string, more: Partial<ReportedRefund> = {}): ReportedRefund => ({
  kind: 'refund',
  status: 'completed',
  amount,
  currency: null,
  ...more,
});

describe('the refunds of a payment', () => {
  test.each([
    ['nothing', [], null, '0', '0', 'succeeded'],
    ['a part', [refund('30.5')], null, '30.5', '30.5', 'partially_refunded'],
    ['all of it, in two parts', [refund('30.5'), refund('69.5', { currency: 'USD' })], null, '100', '100', 'refunded'],
    ['a part by hand', [], '10', '0', '10', 'partially_refunded'],
    ['a part by each', [refund('90')], '10', '90', '100', 'refunded'],
    ['more than was paid', [refund('90'), refund('90')], '5', '100', '185', 'refunded'],
    ['a dispute', [refund('1', { kind: 'dispute' })], null, '1', '1', 'disputed'],
    ['a dispute that was won', [refund('100', { kind: 'dispute', status: 'withdrawn' })], null, '0', '0', 'succeeded'],
    ['money of another currency', [refund('50', { currency: 'EUR' })], null, '0', '0', 'succeeded'],
  ] as const)('%s', (_, refunds, manual, reversed, refunded, status) => {
    expect(reversalsOf(paid, refunds, manual)).toEqual({ reversed, refunded, status });
  });

  test('never leave less than zero, and the rest and the refunds add up to the payment', () => {
    const cents = fc.nat(20_000).map((n) => (n / 100).toFixed(2));
    fc.assert(
      fc.property(cents, fc.array(cents, { maxLength: 4 }), fc.option(cents), (amount, parts, manual) => {
        const refunds = parts.filter((part) => compareAmounts(part, '0') > 0).map((part) => refund(part));
        const { refunded } = reversalsOf({ amount, currency: 'USD' }, refunds, manual);
        const net = netAmount(amount, refunded);
        expect(compareAmounts(net, '0')).toBeGreaterThanOrEqual(0);
        const isAll = compareAmounts(refunded, amount) >= 0;
        expect(compareAmounts(isAll ? '0' : sumAmounts([net, refunded]), isAll ? net : amount)).toBe(0);
        // Independent of their order.
        expect(reversalsOf({ amount, currency: 'USD' }, refunds.toReversed(), manual).refunded).toBe(refunded);
      }),
    );
  });
});
