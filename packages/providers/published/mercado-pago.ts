import { createMercadoPago } from '../mercado-pago/index.ts';
import { asProvider } from '../registry.ts';
import type { PublishedExamples } from './example.ts';

const payments =
  'mercadopago.com developers/en/reference/payments/_payments_id/get; mercadopago/sdk-nodejs src/clients/payment/commonTypes.ts';
const statuses = 'mercadopago.com developers/en/docs/checkout-api-payments/response-handling/query-results';
const refundList = 'mercadopago/sdk-go resources/mocks/refund/list_response.json';

const payment = (over: object) => ({
  id: 57_592_046_572,
  date_created: '2026-02-05T11:30:00.000-04:00',
  date_approved: '2026-02-05T11:31:10.000-04:00',
  date_last_updated: '2026-02-05T11:31:10.000-04:00',
  date_of_expiration: null,
  money_release_date: '2026-02-19T11:31:10.000-04:00',
  operation_type: 'regular_payment',
  payment_method_id: 'visa',
  payment_type_id: 'credit_card',
  status: 'approved',
  status_detail: 'accredited',
  currency_id: 'BRL',
  description: 'Two pairs of shoes',
  live_mode: true,
  collector_id: 448_876_418,
  payer: {
    id: '1649900001',
    email: 'test_user_80507629@testuser.com',
    identification: { type: 'CPF', number: '19119119100' },
    type: 'guest',
    first_name: null,
    last_name: null,
    phone: { area_code: null, number: null, extension: null },
    entity_type: null,
  },
  metadata: {},
  additional_info: { available_balance: null, nsu_processadora: null },
  external_reference: null,
  transaction_amount: 58.8,
  transaction_amount_refunded: 0,
  coupon_amount: 0,
  installments: 1,
  fee_details: [{ type: 'mercadopago_fee', amount: 2.93, fee_payer: 'collector' }],
  captured: true,
  refunds: [],
  ...over,
});

const paid = (over: object = {}) => ({
  kind: 'outcome',
  externalId: '57592046572',
  outcomeType: 'payment_received',
  occurredAt: '2026-02-05T15:31:10.000Z',
  value: '58.8',
  currency: 'BRL',
  person: { externalId: '1649900001', email: 'test_user_80507629@testuser.com' },
  ...over,
});

const refund = (over: object) => ({
  id: 1_622_029_222,
  payment_id: 57_592_046_572,
  amount: 1.5,
  source: { name: 'Test Test', id: '448876418', type: 'collector' },
  date_created: '2026-02-06T15:35:49.000-04:00',
  unique_sequence_number: null,
  refund_mode: 'standard',
  adjustment_amount: 0,
  status: 'approved',
  reason: null,
  ...over,
});

const back = (over: object = {}) => ({
  kind: 'refund',
  externalId: '1622029222',
  ofExternalId: '57592046572',
  amount: '1.5',
  currency: 'BRL',
  occurredAt: '2026-02-06T19:35:49.000Z',
  isDispute: false,
  ...over,
});

const later = '2026-02-20T09:00:00.000-04:00';
const held = (over: object = {}) => ({
  kind: 'refund',
  externalId: 'dispute-57592046572',
  ofExternalId: '57592046572',
  amount: '58.8',
  currency: 'BRL',
  occurredAt: '2026-02-20T13:00:00.000Z',
  isDispute: true,
  ...over,
});

/** A payment that changed after its approval is not held; whether it ever was is unknown. */
const notHeld = held({ isUndone: true, occurredAt: '2026-02-06T19:35:49.000Z' });

const of = (
  name: string,
  over: object,
  said: readonly unknown[],
  source = payments,
  more: Record<string, unknown> = {},
) => ({
  name,
  source,
  answers: {
    '/v1/payments/search': { paging: { total: 1, limit: 100, offset: 0 }, results: [payment(over)] },
    ...more,
  },
  said,
});

export const mercadoPagoExamples: PublishedExamples = {
  provider: asProvider(
    createMercadoPago({
      clientId: 'c',
      clientSecret: 's',
      apiUrl: 'https://api.mercadopago.com',
      dialogUrl: 'https://auth.mercadopago.com',
      webhookSecret: undefined,
    }),
  ),
  account: { externalId: '448876418', credentials: { accessToken: 't' }, details: {} },
  position: { from: '2026-02-28T00:00:00.000Z', windowMs: 30 * 86_400_000 },
  empty: () => ({ paging: { total: 0, limit: 100, offset: 0 }, results: [] }),
  examples: [
    of('an approved payment', {}, [paid()]),
    of(
      'a payment with an external reference and a name',
      {
        external_reference: 'order-7',
        payer: {
          id: null,
          email: 'ana@example.com',
          first_name: 'Ana',
          last_name: 'Lima',
          phone: {},
          identification: {},
        },
      },
      [paid({ person: { email: 'ana@example.com', name: 'Ana Lima' }, properties: { external_reference: 'order-7' } })],
    ),
    of('a payment without a payer', { payer: null }, [paid({ person: {} })]),
    of(
      'a payment of a masked guest',
      { payer: { email: 'XXXXXXXXXXX', first_name: null, last_name: null, phone: null, identification: null } },
      [paid({ person: {} })],
    ),
    of(
      'a payment in Chilean pesos, with a RUT',
      {
        currency_id: 'CLP',
        transaction_amount: 12_990,
        payer: { identification: { type: 'RUT', number: '12345678K' } },
      },
      [paid({ value: '12990', currency: 'CLP', person: { rut: '12345678K' } })],
    ),
    of(
      'a payment that lacks what may be missing',
      {
        external_reference: undefined,
        refunds: undefined,
        transaction_amount_refunded: undefined,
        live_mode: undefined,
        payer: undefined,
      },
      [paid({ person: {} })],
    ),
    of(
      'a payment that waits for a transfer',
      { status: 'pending', status_detail: 'pending_waiting_transfer', date_approved: null },
      [],
      statuses,
    ),
    of(
      'a payment that is reviewed',
      { status: 'in_process', status_detail: 'pending_review_manual', date_approved: null },
      [],
      statuses,
    ),
    of(
      'a payment that was authorised only',
      { status: 'authorized', status_detail: 'pending_capture', date_approved: null, captured: false },
      [],
      statuses,
    ),
    of(
      'a payment that was rejected',
      { status: 'rejected', status_detail: 'cc_rejected_insufficient_amount', date_approved: null },
      [],
      statuses,
    ),
    of('a payment with a status that is new', { status: 'on_hold' }, [], statuses),
    of(
      'a payment that was refunded in part',
      {
        status_detail: 'partially_refunded',
        transaction_amount_refunded: 1.5,
        refunds: [refund({})],
        date_last_updated: '2026-02-06T15:35:49.000-04:00',
      },
      [paid(), back(), notHeld],
      refundList,
    ),
    of(
      'a payment whose refunds stand in a list of their own',
      {
        status_detail: 'partially_refunded',
        transaction_amount_refunded: 1.5,
        date_last_updated: '2026-02-06T15:35:49.000-04:00',
      },
      [paid(), back(), notHeld],
      refundList,
      {
        '/v1/payments/57592046572/refunds': [refund({})],
      },
    ),
    of(
      'a payment that was refunded whole',
      {
        status: 'refunded',
        status_detail: 'refunded',
        transaction_amount_refunded: 58.8,
        refunds: [refund({ amount: 58.8 })],
        date_last_updated: later,
      },
      [paid(), back({ amount: '58.8' }), held({ isUndone: true })],
      statuses,
    ),
    of(
      'a refund that was rejected',
      { transaction_amount_refunded: 1.5, refunds: [refund({ status: 'rejected' })] },
      [paid(), back({ isUndone: true })],
      refundList,
    ),
    of(
      'a chargeback',
      { status: 'charged_back', status_detail: 'settled', date_last_updated: later },
      [paid(), held()],
      statuses,
    ),
    of(
      'a chargeback that was reimbursed',
      { status: 'charged_back', status_detail: 'reimbursed', date_last_updated: later },
      [paid(), held({ isUndone: true })],
      statuses,
    ),
    of(
      'a mediation',
      { status: 'in_mediation', status_detail: 'pending', date_last_updated: later },
      [paid(), held()],
      statuses,
    ),
    of(
      'a mediation that the seller won, of what a refund had left',
      {
        status: 'approved',
        status_detail: 'partially_refunded',
        transaction_amount_refunded: 1.5,
        refunds: [refund({})],
        date_last_updated: later,
      },
      [paid(), back(), held({ isUndone: true })],
      statuses,
    ),
    of(
      'a mediation that the buyer won: the payment is refunded, and no longer held',
      {
        status: 'refunded',
        status_detail: 'refunded',
        transaction_amount_refunded: 58.8,
        refunds: [refund({ amount: 58.8, date_created: later })],
        date_last_updated: later,
      },
      [paid(), back({ amount: '58.8', occurredAt: '2026-02-20T13:00:00.000Z' }), held({ isUndone: true })],
      statuses,
    ),
    of(
      'a chargeback of what a refund had left',
      {
        status: 'charged_back',
        status_detail: 'settled',
        transaction_amount_refunded: 1.5,
        refunds: [refund({})],
        date_last_updated: later,
      },
      [paid(), back(), held({ amount: '57.3' })],
      statuses,
    ),
  ],
};
