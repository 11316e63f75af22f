import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { firstPaymentCases, type PaymentCase, readPayment } from './first-payment.cases.ts';
import { affectedPayments, type CustomerPayment, type EarliestPayments, earlierOf, firstPayments } from './index.ts';

const dayMs = 86_400_000;
const epoch = Date.UTC(2026, 0, 1);

const payment = ({ day, ...rest }: PaymentCase): CustomerPayment => ({
  ...rest,
  paidAt: new Date(epoch + Math.round(day * dayMs)),
});

/** Each purchase with its first payments. */
function purchases(payments: readonly CustomerPayment[]): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const [id, { isFirstPayment, purchaseId }] of firstPayments(payments)) {
    expect(isFirstPayment).toBe(purchaseId !== null);
    if (purchaseId === null) continue;
    found[purchaseId] ??= [];
    found[purchaseId].push(id);
  }
  return found;
}

const firsts = (payments: readonly CustomerPayment[]): Set<string> =>
  new Set(Object.values(purchases(payments)).flat());

function earliestOf(payments: readonly CustomerPayment[], refs: readonly (string | null)[]): EarliestPayments {
  const groups = new Map<string | null, CustomerPayment>();
  for (const one of payments)
    if (refs.includes(one.subjectRef)) groups.set(one.subjectRef, earlierOf(groups.get(one.subjectRef), one));
  const earliest = (isWanted: (one: CustomerPayment) => boolean) =>
    payments.filter(isWanted).reduce<CustomerPayment | undefined>(earlierOf, undefined);
  return {
    groups,
    untagged: earliest(({ subjectRef }) => subjectRef === null),
    tagged: earliest(({ subjectRef }) => subjectRef !== null),
  };
}

describe('first payments', () => {
  test.each(firstPaymentCases)('$title', ({ payments, first }) => {
    const all = payments.map((text) => payment(readPayment(text)));
    expect(purchases(all)).toEqual(first);
    expect([...firstPayments(all).keys()].sort()).toEqual(all.map(({ id }) => id).sort());
  });

  test('rejects a payment that is given twice', () => {
    const twice = payment(readPayment('a 0'));
    expect(() => firstPayments([twice, twice])).toThrow(RangeError);
  });
});

describe('for any payments', () => {
  // Few days and few subjects, so that times, windows and subjects coincide.
  const written = fc.record({
    day: fc.oneof(fc.integer({ min: 0, max: 20 }), fc.constantFrom(7 + 1 / dayMs, 14 - 1 / dayMs)),
    subjectRef: fc.constantFrom(null, 'kid1', 'kid2', 'kid3'),
    isInstallment: fc.constantFrom(false, false, false, true),
  });
  const ids = fc.shuffledSubarray([...'abcdefghij'], { minLength: 10 });
  const some = fc
    .tuple(fc.array(written, { maxLength: 10 }), ids)
    .map(([rows, names]) => rows.map((row, index) => payment({ ...row, id: names[index] ?? '' })));

  const isEarlier = (a: CustomerPayment, b: CustomerPayment) =>
    a.paidAt < b.paidAt || (a.paidAt.getTime() === b.paidAt.getTime() && a.id < b.id);

  test('the order of arrival does not matter', () => {
    const arrivals = some.chain((payments) =>
      fc.tuple(fc.constant(payments), fc.shuffledSubarray(payments, { minLength: payments.length })),
    );
    fc.assert(
      fc.property(arrivals, ([payments, shuffled]) => {
        expect(new Map([...firstPayments(shuffled)].sort())).toEqual(new Map([...firstPayments(payments)].sort()));
      }),
    );
  });

  test('later payments change nothing', () => {
    fc.assert(
      fc.property(some, (payments) => {
        const all = firstPayments(payments);
        for (const last of payments) {
          const soFar = payments.filter((other) => !isEarlier(last, other));
          expect(firstPayments(soFar).get(last.id)).toEqual(all.get(last.id));
        }
      }),
    );
  });

  test('unsettledBy covers every payment whose status changes', () => {
    const arrivals = fc
      .tuple(some, some)
      .map(([known, sent]) => ({ known: known.slice(0, 7), sent: sent.slice(0, 3) }));
    fc.assert(
      fc.property(arrivals, ({ known, sent }) => {
        const ids = new Set(sent.map(({ id }) => id));
        const after = [...known.filter(({ id }) => !ids.has(id)), ...sent];
        const refs = [...known.filter(({ id }) => ids.has(id)), ...sent].map(({ subjectRef }) => subjectRef);
        const { windows, taggedFirstsSince, isEverything } = affectedPayments(
          earliestOf(known, refs),
          earliestOf(after, refs),
        );
        const [was, is] = [firstPayments(known), firstPayments(after)];
        for (const one of after) {
          if (isEverything || ids.has(one.id) || isDeepStrictEqual(was.get(one.id), is.get(one.id))) continue;
          const isExpected =
            windows.some(
              ({ subjectRef, from, to }) => subjectRef === one.subjectRef && from <= one.paidAt && one.paidAt <= to,
            ) ||
            (taggedFirstsSince !== undefined &&
              one.subjectRef !== null &&
              was.get(one.id)?.isFirstPayment === true &&
              one.paidAt >= taggedFirstsSince);
          expect(isExpected).toBe(true);
        }
      }),
      { numRuns: 3_000 },
    );
  });

  test('the rules hold as stated', () => {
    fc.assert(
      fc.property(some, (payments) => {
        const first = firsts(payments);
        for (const one of payments) {
          const earlier = payments.filter((other) => isEarlier(other, one));
          const isExpected = earlier.some(({ subjectRef }) => subjectRef === one.subjectRef);
          if (one.isInstallment) expect(first).not.toContain(one.id);
          else if (one.subjectRef === null && earlier.some(({ subjectRef }) => subjectRef !== null))
            expect(first).not.toContain(one.id);
          else if (!isExpected) expect(first.has(one.id)).toBe(!earlier.some(({ subjectRef }) => subjectRef === null));
        }
      }),
    );
  });

  test('a purchase has one subject, starts with its first payment and ends after seven days; a subject has at most one', () => {
    fc.assert(
      fc.property(some, (payments) => {
        const byId = new Map(payments.map((one) => [one.id, one]));
        const subjects = Object.entries(purchases(payments)).map(([purchaseId, members]) => {
          const opening = byId.get(purchaseId);
          expect(members[0]).toBe(purchaseId);
          for (const member of members.map((id) => byId.get(id))) {
            expect(member?.subjectRef).toBe(opening?.subjectRef);
            expect(Number(member?.paidAt) - Number(opening?.paidAt)).toBeLessThanOrEqual(7 * dayMs);
          }
          return opening?.subjectRef;
        });
        expect(new Set(subjects).size).toBe(subjects.length);
        // Untagged and tagged purchases are never both first: the same person could be in both.
        if (subjects.includes(null)) expect(subjects).toEqual([null]);
      }),
    );
  });

  test('marking an installment removes its flag and sets no other', () => {
    fc.assert(
      fc.property(some, fc.nat(), (payments, pick) => {
        const marked = payments.map((one, index) =>
          index === pick % payments.length ? { ...one, isInstallment: true } : one,
        );
        const [before, after] = [firsts(payments), firsts(marked)];
        expect([...after].filter((id) => !before.has(id))).toEqual([]);
      }),
    );
  });

  test('without installments, one more untagged payment at any time never creates another first payment', () => {
    const plain = some.map((payments) => payments.map((one) => ({ ...one, isInstallment: false })));
    fc.assert(
      fc.property(plain, fc.integer({ min: 0, max: 20 }), (payments, day) => {
        const before = firsts(payments);
        const after = firsts([...payments, payment({ id: 'm', day, subjectRef: null, isInstallment: false })]);
        expect([...after].filter((id) => id !== 'm' && !before.has(id))).toEqual([]);
      }),
    );
  });
});
