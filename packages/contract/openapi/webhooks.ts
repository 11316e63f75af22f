import type { ScopeGrain } from '@tributary/vocabulary';
import { deliveryOf, events, type LiveEventName, sampleDelivery } from '../events.ts';
import { describedFields } from './describe.ts';
import type { Schemas } from './schemas.ts';

/** A request that we send to the URL of a subscription. */
export interface Webhook {
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly [string];
  readonly requestBody: object;
  readonly responses: Readonly<Record<string, object>>;
  readonly 'x-scope-grain': ScopeGrain;
}

export const webhooksChapter = 'Webhooks';

export function webhooksOf(
  names: readonly LiveEventName[],
  schemas: Schemas,
): Readonly<Record<string, { readonly post: Webhook }>> {
  return Object.fromEntries(names.map((name) => [name, { post: webhookOf(name, schemas) }]));
}

function webhookOf(name: LiveEventName, schemas: Schemas): Webhook {
  const { firesWhen, grain } = events[name];
  return {
    summary: name,
    description: [
      firesWhen,
      'Sent to subscriptions that list it, and whose `providers` have `service`. It may come more than once and out of order: drop what has an `id` that you know.',
      grain === 'person' &&
        'Needs a live grant on the profile; the person is shown only where the grant has `customers:read`.',
    ]
      .filter(Boolean)
      .join('\n\n'),
    tags: [webhooksChapter],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: describedFields(schemas.of(deliveryOf(name), 'output'), name),
          example: sampleDelivery(name),
        },
      },
    },
    responses: {
      '2XX': { description: 'Taken. Any other answer is tried again.' },
      410: { description: 'Gone. The subscription is disabled.' },
    },
    'x-scope-grain': grain,
  };
}
