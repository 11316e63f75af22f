import { bankHolderTypes, bankLinkCountries, connectionStatuses, limits } from '@tributary/vocabulary';
import { z } from 'zod';
import { LeftOut, shownOnce } from '../one-time-secrets.ts';
import { data, IsoTimestamp, limitParameter, Name, page, Uuid } from '../primitives.ts';
import { anyOf, route } from '../route.ts';
import { chapter, credentials } from './connections.ts';

/** Connections with their own routes: banks, chatbots, stores. */

const read = { credentials, scopes: anyOf('connections:read'), grain: 'profile' } as const;
const write = { credentials, scopes: anyOf('connections:write'), grain: 'profile' } as const;
const secret = (most: number) => z.string().trim().min(8, 'is too short').max(most, 'is too long');

export const startBankLink = route({
  id: 'startBankLink',
  method: 'POST',
  path: '/api/v1/integrations/bank-link/link/start',
  summary: 'Begin to link a bank',
  description:
    'Open the bank’s widget on your page with `public_key` and `widget_token`; it ends with an exchange token for `POST …/link/connect`.',
  chapter,
  audit: 'not needed: nothing is kept until the link is connected',
  access: write,
  body: {
    schema: z.strictObject({
      country: z.enum(bankLinkCountries).default('cl'),
      holder_type: z.enum(bankHolderTypes).default('business'),
    }),
    optional: true,
  },
  idempotency: 'accepted',
  answers: {
    200: {
      schema: data(
        z.strictObject({
          widget_token: shownOnce(z.string()),
          public_key: z.string(),
          expires_at: IsoTimestamp.nullable().describe(
            'After that the exchange token of this link is no longer taken.',
          ),
        }),
        LeftOut,
      ),
    },
  },
  refusals: ['not_implemented', 'provider_error', 'connection_not_ready'],
});

const Linked = z
  .strictObject({
    id: Uuid,
    channel: z.literal('bank_link'),
    account: z.strictObject({ external_id: z.string(), name: z.string() }),
  })
  .meta({ id: 'LinkedBankAccount' });

export const connectBankLink = route({
  id: 'connectBankLink',
  method: 'POST',
  path: '/api/v1/integrations/bank-link/link/connect',
  summary: 'Finish a bank link',
  description: 'Each account of the link becomes a connection, and its movements are read at once.',
  chapter,
  audit: { action: 'bank_link.connected', of: 'profile:{caller.profileId}' },
  access: write,
  body: { schema: z.strictObject({ exchange_token: secret(500).meta({ examples: ['sandbox-exchange-token'] }) }) },
  idempotency: 'accepted',
  answers: { 201: { schema: data(z.array(Linked)) } },
  refusals: [
    'not_implemented',
    'provider_error',
    'connection_not_ready',
    'account_connected_elsewhere',
    'invalid_state',
  ],
});

const Chatbot = z
  .strictObject({
    id: Uuid,
    status: z.enum(connectionStatuses),
    page: z.strictObject({ external_id: z.string(), name: z.string() }),
    connected_at: IsoTimestamp,
    external_request: z
      .strictObject({
        method: z.literal('POST').describe('The method of the request.'),
        url: z.string().describe('Where the flow sends it.'),
        headers: z
          .record(z.string(), z.string())
          .describe('Put an API key with `attribution:write` in place of `YOUR_API_KEY`.'),
        body: z.string().describe('JSON. The words in braces are the chatbot’s own fields.'),
      })
      .describe(
        'Nothing is read from the chatbot: the key is only checked, every hour. Add this External Request to the flow that begins a conversation; each run of it records `messaging_started`.',
      ),
  })
  .meta({ id: 'ChatbotConnection' });

export const readChatbotConnection = route({
  id: 'readChatbotConnection',
  method: 'GET',
  path: '/api/v1/integrations/chatbot/connection',
  summary: 'The chatbot connection of the profile',
  reveals: { days: 'any', people: 'none', costs: false },
  chapter,
  access: read,
  answers: { 200: { schema: data(Chatbot.nullable()), description: 'Null: the profile has none.' } },
});

export const saveChatbotConnection = route({
  id: 'saveChatbotConnection',
  method: 'POST',
  path: '/api/v1/integrations/chatbot/connection',
  summary: 'Connect a chatbot, or change its key',
  description:
    'A profile has one chatbot: the key of another page takes the place of the former. The key is checked every hour; a dead one makes the connection ' +
    '`reconnect_required`. Conversations are not read: the flow sends them, as `external_request` shows.',
  chapter,
  audit: { action: 'chatbot.connected', of: 'connection:{data.id}' },
  access: write,
  body: {
    schema: z.strictObject({
      api_key: secret(500)
        .describe('From the chatbot’s own settings.')
        .meta({ examples: ['123456:sandbox-key'] }),
    }),
  },
  idempotency: 'accepted',
  answers: { 201: { schema: data(Chatbot) }, 200: { schema: data(Chatbot), description: 'It was there already.' } },
  refusals: ['not_implemented', 'provider_error', 'connection_not_ready', 'account_connected_elsewhere'],
});

const ShopDomain = z
  .string()
  .trim()
  .toLowerCase()
  .max(255)
  .regex(/^[a-z0-9][a-z0-9-]*\.myshopify\.com$/, 'must be the domain of a store, like name.myshopify.com')
  .meta({ examples: ['sandbox-shop.myshopify.com'] });

const ManualStore = z
  .strictObject({
    id: Uuid,
    status: z.enum(connectionStatuses).describe('`pending` until the store’s signing id is known.'),
    shop_domain: z.string(),
    name: z.string(),
    has_signing_id: z.boolean(),
    has_access_token: z.boolean().describe('Needed to read orders from before, and to install the pixel.'),
    connected_at: IsoTimestamp,
  })
  .meta({ id: 'ManualStore' });

const AccessToken = secret(500).describe(
  'The Admin API token of a custom app of the store. With it the store’s orders are read, also those from before.',
);
const inPath = {
  params: z.object({ connectionId: Uuid }),
  refusedAs: { connectionId: 'not_found' },
  ids: { connectionId: 'connection' },
} as const;

export const listManualStores = route({
  id: 'listManualStores',
  method: 'GET',
  path: '/api/v1/integrations/store/manual-connections',
  summary: 'Stores that were connected by hand',
  reveals: { days: 'any', people: 'none', costs: false },
  chapter,
  access: read,
  query: z.object({ limit: limitParameter(limits.connections.pageSize), cursor: Uuid.optional() }),
  answers: { 200: { schema: page(ManualStore) } },
});

export const createManualStore = route({
  id: 'createManualStore',
  method: 'POST',
  path: '/api/v1/integrations/store/manual-connections',
  summary: 'Connect a store by hand',
  chapter,
  audit: { action: 'store.added', of: 'connection:{data.id}' },
  access: write,
  body: {
    schema: z.strictObject({
      shop_domain: ShopDomain,
      name: Name.optional(),
      access_token: AccessToken.optional(),
    }),
  },
  idempotency: 'accepted',
  answers: {
    201: { schema: data(ManualStore) },
    200: { schema: data(ManualStore), description: 'It was there already.' },
  },
  refusals: ['account_connected_elsewhere'],
});

export const updateManualStore = route({
  id: 'updateManualStore',
  method: 'PATCH',
  path: '/api/v1/integrations/store/manual-connections/{connectionId}',
  summary: 'Keep what a store signs its webhooks with',
  chapter,
  audit: { action: 'store.updated', of: 'connection:{params.connectionId}' },
  access: write,
  ...inPath,
  body: {
    schema: z.strictObject({
      webhook_signing_id: secret(500)
        .describe('Shown in the store’s settings under Notifications, Webhooks. It is sealed, and never shown again.')
        .meta({ examples: ['9f2c7a4e51d84f0b8c3d6e7f'] }),
      access_token: AccessToken.optional(),
    }),
  },
  idempotency: 'natural',
  answers: { 200: { schema: data(ManualStore) } },
});

export const deleteManualStore = route({
  id: 'deleteManualStore',
  method: 'DELETE',
  path: '/api/v1/integrations/store/manual-connections/{connectionId}',
  summary: 'Remove a store that was connected by hand',
  chapter,
  audit: { action: 'store.removed', of: 'connection:{params.connectionId}' },
  access: write,
  ...inPath,
  idempotency: 'natural',
  answers: { 200: { schema: data(z.strictObject({ id: Uuid, deleted: z.literal(true) })) } },
});

export const activateWebPixel = route({
  id: 'activateWebPixel',
  method: 'POST',
  path: '/api/v1/integrations/store/web-pixel/activate',
  summary: 'Install the store’s pixel, or bring it up to date',
  description: 'With the tracking key and collector that the profile has now. Needs a store with an access token.',
  chapter,
  audit: { action: 'store.pixel_installed', of: 'connection:{data.connection_id}' },
  access: write,
  body: {
    schema: z.strictObject({ connection_id: Uuid.optional().describe('Where the profile has several stores.') }),
    optional: true,
  },
  idempotency: 'accepted',
  answers: { 200: { schema: data(z.strictObject({ connection_id: Uuid, pixel_id: z.string() })) } },
  refusals: ['not_implemented', 'provider_error', 'connection_not_ready', 'invalid_state'],
});
