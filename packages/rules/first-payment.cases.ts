import { dayMs } from '@tributary/vocabulary';
/**
 * Cases of first payments. A payment is written "id day", then optionally its subject_ref and the word installment.
 * Every implementation, in memory or in SQL, must find `first`: each purchase, by the id of its earliest payment,
 * with its first payments.
 */
export interface FirstPaymentCase {
  readonly title: string;
  readonly payments: readonly string[];
  readonly first: Readonly<Record<string, readonly string[]>>;
}

export interface PaymentCase {
  readonly id: string;
  readonly day: number;
  readonly subjectRef: string | null;
  readonly isInstallment: boolean;
}

export const readPayment = (text: string): PaymentCase => {
  const [id = '', day, ...rest] = text.split(' ');
  const subjectRef = rest.find((word) => word !== 'installment') ?? null;
  return { id, day: Number(day), subjectRef, isInstallment: rest.includes('installment') };
};

/** One millisecond, in days. */
const moment = 1 / dayMs;

export const firstPaymentCases: readonly FirstPaymentCase[] = [
  { title: 'without payments', payments: [], first: {} },

  // Without subject_ref
  { title: '[inge-022] one payment is the first', payments: ['a 0'], first: { a: ['a'] } },
  { title: '[inge-022] one first payment per customer', payments: ['a 0', 'b 30', 'c 60'], first: { a: ['a'] } },
  { title: 'deposit and balance are one purchase', payments: ['a 0', 'b 3'], first: { a: ['a', 'b'] } },
  { title: 'exactly seven days are within the window', payments: ['a 0', 'b 7'], first: { a: ['a', 'b'] } },
  { title: 'a millisecond more is not', payments: ['a 0', `b ${7 + moment}`], first: { a: ['a'] } },
  {
    title: 'the days are counted from the first payment, not from the previous one',
    payments: ['a 0', 'b 5', 'c 10'],
    first: { a: ['a', 'b'] },
  },
  {
    title: 'of simultaneous payments, the smaller id is the earlier',
    payments: ['b 0', 'a 0'],
    first: { a: ['a', 'b'] },
  },
  { title: 'a late arrival is ordered by its payment time', payments: ['b 20', 'a 0'], first: { a: ['a'] } },

  // Installments
  { title: 'an installment is never first', payments: ['a 0 installment'], first: {} },
  {
    title: 'an installment is not first as the balance either',
    payments: ['a 0', 'b 3 installment'],
    first: { a: ['a'] },
  },
  {
    title: 'an installment in between does not separate deposit and balance',
    payments: ['a 0', 'b 3 installment', 'c 6'],
    first: { a: ['a', 'c'] },
  },
  {
    title: 'an installment implies an earlier purchase: later payments are not first',
    payments: ['a 0 installment', 'b 3', 'c 40'],
    first: {},
  },
  {
    title: 'a payment before the installment is that earlier purchase',
    payments: ['a 0', 'b 30 installment'],
    first: { a: ['a'] },
  },

  // With subject_ref
  {
    title: '[inge-021] each subject has a first payment of its own',
    payments: ['a 0 kid1', 'b 1 kid2', 'c 90 kid3'],
    first: { a: ['a'], b: ['b'], c: ['c'] },
  },
  { title: '[inge-021] and only one', payments: ['a 0 kid1', 'b 30 kid1'], first: { a: ['a'] } },
  {
    title: 'each subject has a deposit and a balance of its own',
    payments: ['a 0 kid1', 'b 1 kid2', 'c 7 kid1', 'd 8 kid2', 'e 8.5 kid1'],
    first: { a: ['a', 'c'], b: ['b', 'd'] },
  },
  {
    title: '[inge-025] a subject is new if all earlier payments are for others',
    payments: ['a 0 kid1', 'b 30 kid1', 'c 60 kid2'],
    first: { a: ['a'], c: ['c'] },
  },
  {
    title: '[inge-025] and is not if one of them was for it, regardless of payments in between',
    payments: ['a 0 kid1', 'b 30 kid2', 'c 60 kid1'],
    first: { a: ['a'], b: ['b'] },
  },
  {
    title: '[inge-026] an earlier untagged payment makes a subject returning',
    payments: ['a 0', 'b 30 kid1', 'c 60 kid2'],
    first: { a: ['a'] },
  },
  { title: '[inge-026] also within seven days', payments: ['a 0', 'b 3 kid1'], first: { a: ['a'] } },
  {
    title: '[inge-026] also if that payment was an installment',
    payments: ['a 0 installment', 'b 30 kid1'],
    first: {},
  },
  {
    title: 'after that payment is tagged as another subject, the subject is new',
    payments: ['a 0 kid9', 'b 30 kid1', 'c 60 kid2'],
    first: { a: ['a'], b: ['b'], c: ['c'] },
  },
  {
    title: 'after it is tagged as the same subject, the subject is still returning',
    payments: ['a 0 kid1', 'b 30 kid1'],
    first: { a: ['a'] },
  },
  {
    title: '[inge-029] an untagged payment after a tagged one is never first',
    payments: ['a 0 kid1', 'b 30'],
    first: { a: ['a'] },
  },
  {
    title: '[inge-029] even within seven days of a first payment',
    payments: ['a 0 kid1', 'b 3'],
    first: { a: ['a'] },
  },
  {
    title: '[inge-029] even as the balance of an untagged deposit',
    payments: ['a 0', 'b 1 kid1', 'c 2'],
    first: { a: ['a'] },
  },
  {
    title: 'an untagged payment makes later subjects returning, not earlier ones',
    payments: ['a 0 kid1', 'b 1', 'c 2 kid1', 'd 3 kid2'],
    first: { a: ['a', 'c'] },
  },
  {
    title: 'of a simultaneous tagged and untagged payment, the smaller id is the earlier',
    payments: ['a 0 kid1', 'b 0'],
    first: { a: ['a'] },
  },
  {
    title: 'and with the ids swapped',
    payments: ['b 0 kid1', 'a 0'],
    first: { a: ['a'] },
  },
  {
    title: 'an installment of one subject does not affect another',
    payments: ['a 0 kid1 installment', 'b 1 kid1', 'c 2 kid2'],
    first: { c: ['c'] },
  },
];
