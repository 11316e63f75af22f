import { randomUUID } from 'node:crypto';
import type { Installation } from './installation.ts';

/** Sends a payment from the shop's own server with an API key, and resolves to the status of the response. */
export async function sendPayment(
  { baseUrl }: Installation,
  key: string,
  { value, email = 'luz@example.com', at = new Date() }: { value: string; email?: string; at?: Date },
): Promise<number> {
  const response = await fetch(`${baseUrl}/api/v1/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      event_name: 'payment_received',
      idempotency_key: randomUUID(),
      occurred_at: at.toISOString(),
      properties: { value, currency: 'USD' },
      user_traits: { email },
    }),
  });
  return response.status;
}
