import { createFintoc } from '../fintoc/index.ts';
import { createManychat } from '../manychat/index.ts';
import { asProvider } from '../registry.ts';
import type { PublishedExamples } from './example.ts';

const movements = 'docs.fintoc.com/v2023-11-15/api/movements-api/movements/movements-object';

const movement = (over: object) => ({
  id: 'mov_BO381oEATXonG6bj',
  object: 'movement',
  amount: 59_400,
  comment: 'Pago factura 198',
  currency: 'CLP',
  description: 'Traspaso de: Empresa SpA',
  pending: false,
  post_date: '2026-04-17T00:00:00.000Z',
  recipient_account: null,
  reference_id: '123740123',
  sender_account: {
    holder_id: '111111111',
    holder_name: 'Test Company 1',
    institution: { id: 'cl_banco_de_chile', country: 'cl', name: 'Banco de Chile' },
    number: '0000000000',
  },
  status: 'confirmed',
  transaction_date: '2026-04-16T11:31:12.000Z',
  type: 'transfer',
  ...over,
});
const received = (over: object = {}) => ({
  kind: 'outcome',
  externalId: 'mov_BO381oEATXonG6bj',
  outcomeType: 'payment_received',
  occurredAt: '2026-04-16T11:31:12.000Z',
  value: '59400',
  currency: 'CLP',
  person: { rut: '111111111', name: 'Test Company 1' },
  ...over,
});
const of = (name: string, over: object, said: readonly unknown[]) => ({
  name,
  source: movements,
  answers: { '/movements': [movement(over)] },
  said,
});

export const fintocExamples: PublishedExamples = {
  provider: asProvider(
    createFintoc({
      secretKey: 's',
      publicKey: 'p',
      apiUrl: 'https://api.fintoc.com',
      webhookSecret: undefined,
      widgetUrl: 'https://js.fintoc.com/v1/',
    }),
  ),
  account: { externalId: 'acc_1', credentials: { linkToken: 'l', linkId: 'i' }, details: { currency: 'CLP' } },
  position: null,
  empty: () => [],
  examples: [
    of('a transfer that came in', {}, [received()]),
    of('a transfer without a time', { transaction_date: null }, [received({ occurredAt: '2026-04-17T00:00:00.000Z' })]),
    of('a transfer from nobody', { sender_account: null, comment: null, reference_id: null }, [
      received({ person: {} }),
    ]),
    of('a transfer in Mexican pesos, in hundredths', { currency: 'MXN', amount: 59_405 }, [
      received({ currency: 'MXN', value: '594.05' }),
    ]),
    of('a transfer that went out', { amount: -59_400 }, []),
    of('a cheque that the bank has not confirmed', { type: 'check', pending: true }, []),
    of('a movement of another kind', { type: 'other' }, []),
    of('a movement of a kind that is new', { type: 'instant_credit' }, []),
  ],
};

export const manychatExamples: PublishedExamples = {
  provider: asProvider(createManychat({ apiUrl: 'https://api.manychat.com' })),
  account: { externalId: '104000000000001', credentials: { apiKey: 'k' }, details: {} },
  position: null,
  empty: () => ({ status: 'error', message: 'Not found' }),
  examples: [
    {
      name: 'the page of a key',
      source: 'api.manychat.com/swagger: GET /fb/page/getInfo',
      answers: {
        '/fb/page/getInfo': {
          status: 'success',
          data: {
            id: 104_000_000_000_001,
            name: 'Sandbox Shoes',
            category: 'Retail company',
            avatar_link: null,
            username: null,
            about: null,
            description: null,
            is_pro: true,
            timezone: 'America/Santiago',
          },
        },
      },
      said: [],
    },
  ],
};
