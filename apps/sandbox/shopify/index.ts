import type { Company } from '../house.ts';
import { json } from '../route.ts';

export interface ShopifyBook {
  /** The access token of each store. */
  readonly tokens: Map<string, string>;
  /** The pixel of each store, and with which settings it was installed. */
  readonly pixels: Map<string, { readonly id: string; settings: string }>;
}

export function createShopifyCompany(): Company<ShopifyBook> {
  const tokens = new Map([['sandbox-shop.myshopify.com', 'shpat_sandbox_token']]);
  const pixels: ShopifyBook['pixels'] = new Map();
  return {
    routes: [
      {
        method: 'POST',
        path: '/shopify/:shop/admin/api/:version/graphql.json',
        handle({ params, headers, body }) {
          const { shop = '' } = params;
          if (headers['x-shopify-access-token'] !== tokens.get(shop)) {
            return json(401, {
              errors: '[API] Invalid API key or access token (unrecognized login or wrong password)',
            });
          }
          const { query, variables } = JSON.parse(body) as {
            query: string;
            variables: { id?: string; webPixel?: { settings: string } };
          };
          const settings = variables.webPixel?.settings ?? '{}';
          const pixel = pixels.get(shop);
          const written = (webPixel: object | null, userErrors: readonly object[] = []) => ({ webPixel, userErrors });
          if (query.includes('webPixelCreate')) {
            if (pixel) {
              const taken = { code: 'TAKEN', message: 'Web pixel is taken.' };
              return json(200, { data: { webPixelCreate: written(null, [taken]) } });
            }
            const fresh = { id: `gid://shopify/WebPixel/${pixels.size + 1}`, settings };
            pixels.set(shop, fresh);
            return json(200, { data: { webPixelCreate: written(fresh) } });
          }
          if (query.includes('webPixelUpdate')) {
            if (!pixel || pixel.id !== variables.id) return json(200, { errors: [{ message: 'not found' }] });
            pixel.settings = settings;
            return json(200, { data: { webPixelUpdate: written(pixel) } });
          }
          return json(200, { data: { webPixel: pixel ?? null } });
        },
      },
    ],
    book: { tokens, pixels },
  };
}
