import { links, routes } from '@tributary/contract';
import type { ConnectionStatus } from '@tributary/vocabulary';
import type { ConnectionRow } from '../store.ts';

/**
 * The request that a merchant pastes into an External Request of a flow. The names in braces are the chatbot's own
 * fields.
 */
const externalRequest = (baseUrl: string) => ({
  method: 'POST' as const,
  url: links.route(baseUrl, routes.createEvent.path),
  headers: { authorization: 'Bearer YOUR_API_KEY', 'content-type': 'application/json' },
  body: JSON.stringify({
    event_name: 'messaging_started',
    idempotency_key: 'manychat-{{user_id}}',
    user_traits: { external_id: 'manychat-{{user_id}}', phone: '{{phone}}', email: '{{email}}' },
  }),
});

export const toChatbotResponse = (row: ConnectionRow, baseUrl: string) => ({
  id: row.id,
  status: row.status as ConnectionStatus,
  page: { external_id: row.external_id, name: row.name },
  connected_at: row.connected_at.toISOString(),
  external_request: externalRequest(baseUrl),
});
