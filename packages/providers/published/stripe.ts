import { asProvider } from '../registry.ts';
import { createStripe } from '../stripe/index.ts';
import type { PublishedExamples } from './example.ts';

const charges = 'docs.stripe.com/api/charges/object; stripe/openapi openapi/fixtures3.json';
const currencies = 'docs.stripe.com/currencies#zero-decimal and #three-decimal';
const refunds = 'docs.stripe.com/api/refunds/object; stripe/openapi openapi/fixtures3.json';
const disputes = 'docs.stripe.com/api/disputes/object; stripe/openapi openapi/fixtures3.json';

/** A charge as in the API reference: nearly every field is present, and most are null. */
const charge = (over: object) => ({
  id: 'ch_3Nabc2eZvKYlo2C',
  object: 'charge',
  amount: 1_099,
  amount_captured: 1_099,
  amount_refunded: 0,
  application: null,
  application_fee: null,
  balance_transaction: 'txn_3Nabc2eZvKYlo2C',
  billing_details: {
    address: { city: null, country: null, line1: null, line2: null, postal_code: null, state: null },
    email: null,
    name: null,
    phone: null,
  },
  captured: true,
  created: 1_679_090_539,
  currency: 'usd',
  customer: null,
  description: null,
  disputed: false,
  failure_code: null,
  invoice: null,
  livemode: false,
  metadata: {},
  outcome: { network_status: 'approved_by_network', reason: null, risk_level: 'normal', type: 'authorized' },
  paid: true,
  payment_intent: null,
  payment_method_details: { type: 'card', card: { brand: 'visa', last4: '4242', network_token: null } },
  receipt_email: null,
  refunded: false,
  status: 'succeeded',
  transfer_data: null,
  ...over,
});

const payment = (over: object) => ({
  kind: 'outcome',
  externalId: 'ch_3Nabc2eZvKYlo2C',
  outcomeType: 'payment_received',
  occurredAt: '2023-03-17T22:02:19.000Z',
  value: '10.99',
  currency: 'USD',
  person: {},
  ...over,
});

const refund = (over: object) => ({
  id: 're_1Nabc2eZvKYlo2C',
  object: 'refund',
  amount: 1_000,
  balance_transaction: 'txn_1Nabc2eZvKYlo2C',
  charge: 'ch_3Nabc2eZvKYlo2C',
  created: 1_692_942_318,
  currency: 'usd',
  destination_details: {
    card: { reference: '123456789012', reference_status: 'available', type: 'refund' },
    type: 'card',
  },
  metadata: {},
  payment_intent: 'pi_3Nabc2eZvKYlo2C',
  reason: null,
  receipt_number: null,
  source_transfer_reversal: null,
  status: 'succeeded',
  transfer_reversal: null,
  ...over,
});

const back = (over: object) => ({
  kind: 'refund',
  externalId: 're_1Nabc2eZvKYlo2C',
  ofExternalId: 'ch_3Nabc2eZvKYlo2C',
  amount: '10.00',
  currency: 'USD',
  occurredAt: '2023-08-25T05:45:18.000Z',
  isDispute: false,
  ...over,
});

const dispute = (over: object) => ({
  id: 'du_1MtJUT2eZvKYlo2C',
  object: 'dispute',
  amount: 1_000,
  balance_transactions: [],
  charge: 'ch_3Nabc2eZvKYlo2C',
  created: 1_680_651_737,
  currency: 'usd',
  evidence: { customer_name: null, receipt: null, uncategorized_text: null },
  evidence_details: { due_by: 1_682_294_399, has_evidence: false, past_due: false, submission_count: 0 },
  is_charge_refundable: true,
  livemode: false,
  metadata: {},
  payment_intent: null,
  reason: 'general',
  status: 'needs_response',
  ...over,
});

const held = (over: object = {}) => ({
  kind: 'refund',
  externalId: 'du_1MtJUT2eZvKYlo2C',
  ofExternalId: 'ch_3Nabc2eZvKYlo2C',
  amount: '10.00',
  currency: 'USD',
  occurredAt: '2023-04-04T23:42:17.000Z',
  isDispute: true,
  ...over,
});

const list = (data: unknown) => ({ object: 'list', data: [data], has_more: false, url: '/v1/list' });
const ofCharge = (name: string, over: object, said: readonly unknown[], source = charges) => ({
  name,
  source,
  answers: { '/v1/charges': list(charge(over)) },
  said,
});
const ofRefund = (name: string, over: object, said: readonly unknown[]) => ({
  name,
  source: refunds,
  answers: { '/v1/refunds': list(refund(over)) },
  said,
});
const ofDispute = (status: string, said: readonly unknown[], over: object = {}) => ({
  name: `a dispute that is ${status}`,
  source: disputes,
  answers: { '/v1/disputes': list(dispute({ status, ...over })) },
  said,
});

export const stripeExamples: PublishedExamples = {
  provider: asProvider(
    createStripe({
      clientId: 'c',
      clientSecret: 's',
      apiUrl: 'https://api.stripe.com',
      dialogUrl: 'https://marketplace.stripe.com',
      apiVersion: '2026-08-26',
      webhookSecret: undefined,
    }),
  ),
  account: { externalId: 'acct_1', credentials: { accessToken: 'sk' }, details: {} },
  position: null,
  empty: () => ({ object: 'list', data: [], has_more: false }),
  examples: [
    ofCharge('a charge of a guest, of whom nothing is known', {}, [payment({})]),
    ofCharge(
      'a charge with a customer that is expanded',
      {
        customer: {
          id: 'cus_9s6XKzkNRiz8i3',
          object: 'customer',
          email: 'jenny@example.com',
          name: 'Jenny Rosen',
          phone: '+15555550100',
        },
        payment_intent: 'pi_3Nabc2eZvKYlo2C',
      },
      [
        payment({
          person: {
            externalId: 'cus_9s6XKzkNRiz8i3',
            email: 'jenny@example.com',
            name: 'Jenny Rosen',
            phone: '+15555550100',
          },
          properties: { payment_intent: 'pi_3Nabc2eZvKYlo2C' },
        }),
      ],
    ),
    ofCharge(
      'a charge whose customer was deleted',
      { customer: { id: 'cus_9s6XKzkNRiz8i3', object: 'customer', deleted: true } },
      [payment({ person: { externalId: 'cus_9s6XKzkNRiz8i3' } })],
      'docs.stripe.com/api/customers/delete',
    ),
    ofCharge('a charge that was captured in part', { amount: 2_000, amount_captured: 1_501 }, [
      payment({ value: '15.01' }),
    ]),
    ofCharge('a charge that was authorised only', { captured: false, amount_captured: 0 }, []),
    ofCharge('a charge by a slow payment method', { paid: false, status: 'pending' }, []),
    ofCharge('a charge that failed', { paid: false, status: 'failed', failure_code: 'card_declined' }, []),
    ofCharge('a charge with a status that is new', { status: 'held_for_review' }, []),
    ofCharge(
      'a charge in yen, which have no smaller unit',
      { currency: 'jpy', amount: 5_000, amount_captured: 5_000 },
      [payment({ value: '5000', currency: 'JPY' })],
      currencies,
    ),
    ofCharge(
      'a charge in Chilean pesos',
      { currency: 'clp', amount: 12_990, amount_captured: 12_990 },
      [payment({ value: '12990', currency: 'CLP' })],
      currencies,
    ),
    ofCharge(
      'a charge in Kuwaiti dinars, in thousandths',
      { currency: 'kwd', amount: 5_120, amount_captured: 5_120 },
      [payment({ value: '5.120', currency: 'KWD' })],
      currencies,
    ),
    ofCharge(
      'a charge in Icelandic kronur, in hundredths by exception',
      { currency: 'isk', amount: 500_00, amount_captured: 500_00 },
      [payment({ value: '500.00', currency: 'ISK' })],
      currencies,
    ),
    ofRefund('a refund in part', { amount: 250 }, [back({ amount: '2.50' })]),
    ofRefund('a refund that is on its way', { status: 'pending' }, [back({})]),
    ofRefund('a refund for which the customer has to do something', { status: 'requires_action' }, [back({})]),
    ofRefund('a refund that failed', { status: 'failed', failure_reason: 'expired_or_canceled_card' }, [
      back({ isUndone: true }),
    ]),
    ofRefund('a refund that was canceled', { status: 'canceled' }, [back({ isUndone: true })]),
    ofRefund('a refund without a status', { status: null }, [back({})]),
    ofRefund('a refund of no charge', { charge: null }, []),
    ofRefund('a refund in yen', { currency: 'jpy', amount: 1_500 }, [back({ amount: '1500', currency: 'JPY' })]),
    ofDispute('warning_needs_response', []),
    ofDispute('warning_under_review', []),
    ofDispute('warning_closed', []),
    ofDispute('needs_response', [held()]),
    ofDispute('under_review', [held()]),
    ofDispute('lost', [held()]),
    ofDispute('won', [held({ isUndone: true })]),
    ofDispute('prevented', [held({ isUndone: true })]),
    ofDispute('something that is new', [held()]),
    ofDispute('lost', [held({ amount: '4.00' })], { amount: 400 }),
  ],
};
