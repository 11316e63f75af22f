import { z } from 'zod';
import type { Provider } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import { readAs } from '../read-answer.ts';
import { createApi, type ShopifySettings } from './api.ts';
import { ShopifyCredentials } from './credentials.ts';
import { createSync, type ShopifyPosition } from './sync.ts';
import { shopifyTells } from './webhooks.ts';

export type { ShopifySettings } from './api.ts';

const Written = z.object({
  webPixel: z.object({ id: z.string() }).nullish(),
  userErrors: z.array(z.object({ code: z.string().nullish(), message: z.string() })),
});

const create = `mutation webPixelCreate($webPixel: WebPixelInput!) {
  webPixelCreate(webPixel: $webPixel) { userErrors { code message } webPixel { id } }
}`;
const update = `mutation webPixelUpdate($id: ID!, $webPixel: WebPixelInput!) {
  webPixelUpdate(id: $id, webPixel: $webPixel) { userErrors { code message } webPixel { id } }
}`;
const find = 'query { webPixel { id } }';

export function createShopify(settings: ShopifySettings): Provider<ShopifyCredentials, ShopifyPosition> {
  const graphql = createApi(settings);
  return {
    facts: { channel: 'store', name: 'Shopify' },
    credentials: ShopifyCredentials,
    selfSignedWebhooks: shopifyTells,
    sync: createSync(graphql),
    async installPixel(account, given, call) {
      const webPixel = { settings: JSON.stringify(given) };
      const made = readAs(
        Written,
        (await graphql(account, create, { webPixel }, call)).data.webPixelCreate,
        'webPixelCreate',
      );
      if (made.webPixel) return made.webPixel;
      if (made.userErrors.every(({ code }) => code !== 'TAKEN')) throw refusedBy(made.userErrors);
      const { id } = readAs(
        z.object({ id: z.string() }),
        (await graphql(account, find, {}, call)).data.webPixel,
        'webPixel',
      );
      const changed = (await graphql(account, update, { id, webPixel }, call)).data.webPixelUpdate;
      const { webPixel: pixel, userErrors } = readAs(Written, changed, 'webPixelUpdate');
      if (!pixel) throw refusedBy(userErrors);
      return pixel;
    },
  };
}

const refusedBy = ([error]: readonly { code?: string | null | undefined; message: string }[]): ProviderFault =>
  new ProviderFault({
    verdict: 'refused',
    code: error?.code ?? 'user_error',
    says: error?.message ?? 'It was not done.',
  });
