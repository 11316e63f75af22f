import type { Company } from '../company.ts';
import { bearerOf, json } from '../route.ts';

export interface ManychatBook {
  /** Accepted keys, and the page of each. */
  readonly keys: Map<string, { readonly id: number; readonly name: string }>;
}

export function createManychatCompany(): Company<ManychatBook> {
  const keys = new Map([
    ['123456:sandbox-key', { id: 123456, name: 'Sandbox page' }],
    ['654321:sandbox-key', { id: 654321, name: 'Sandbox outlet' }],
  ]);
  return {
    routes: [
      {
        method: 'GET',
        path: '/manychat/fb/page/getInfo',
        handle(request) {
          const page = keys.get(bearerOf(request) ?? '');
          if (!page) return json(401, { status: 'error', message: 'Wrong token' });
          return json(200, { status: 'success', data: { ...page, category: 'Shop', is_pro: true, timezone: 'UTC' } });
        },
      },
    ],
    book: { keys },
  };
}
