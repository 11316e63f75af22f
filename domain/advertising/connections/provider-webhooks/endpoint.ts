import type { PageEndpoint } from '@tributary/pages';
import { channelNames, limits } from '@tributary/vocabulary';
import { type Applied, applyWebhook, type WebhookServices } from './apply.ts';

const httpStatus = { applied: 204, unknown: 404, unsigned: 401, rejected: 422 } as const satisfies Record<
  Applied['kind'],
  number
>;

/**
 * Endpoint of the API that applies provider webhooks before it responds. Unused in deployments that route `/hooks/` to provider-webhooks.
 */
export const providerWebhooks = (services: WebhookServices): PageEndpoint[] => [
  {
    method: 'POST',
    path: '/hooks/:channel',
    allowance: 'provider',
    maxBytes: limits.providerWebhooks.bytes,
    sender: 'provider',
    handle: async (request, { params, now }) => {
      const channel = channelNames.find((name) => name === params.channel);
      if (!channel) return new Response(null, { status: httpStatus.unknown });
      const delivery = {
        headers: Object.fromEntries(request.headers),
        body: new Uint8Array(await request.arrayBuffer()),
      };
      // 422 for content that cannot be recorded, so that the provider shows the delivery as failed.
      const { kind } = await applyWebhook(services, { channel, delivery, receivedAt: now }, now);
      return new Response(null, { status: httpStatus[kind] });
    },
  },
];
