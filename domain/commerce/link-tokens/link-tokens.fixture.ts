import { scene, type Testkit, testVault, type World } from '@tributary/testkit';
import { sql } from 'kysely';
import { openLinkToken } from './module.ts';

export interface Row {
  readonly index: number;
  readonly status: string;
  readonly customer_key: string | null;
  readonly customer_profile_id?: string;
  readonly token?: string;
  readonly expires_at?: string;
  readonly reason?: string;
  readonly message?: string;
}

export type Minter = Awaited<ReturnType<typeof openMinter>>;

/** A profile with helpers to create customers and mint tokens for them. */
export async function openMinter(world: World & { readonly kit: Testkit }) {
  const shop = await scene(world, { scopes: ['attribution:write', 'customers:read'] });
  const { profileId, call } = shop;
  const requestTokens = (body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    call('POST', '/api/v1/customers/link-tokens', body as object, headers);
  const mint = async (...customers: unknown[]): Promise<Row[]> => {
    const response = await requestTokens({ customers });
    if (response.statusCode !== 200) throw new Error(response.body);
    return response.json().data.results;
  };
  return {
    ...shop,
    requestTokens,
    mint,
    mintOne: async (customer: unknown): Promise<Row> => (await mint(customer))[0] as Row,
    importRow: async (row: object): Promise<string> =>
      (await shop.post('/api/v1/customers', { rows: [row] })).results[0].customer_profile_id,
    sendEvent: (name: string, traits: object) =>
      shop.post('/api/v1/events', { event_name: 'lead_created', idempotency_key: name, user_traits: traits }),
    opened: (token: string | undefined, at = world.kit.clock.now()) =>
      openLinkToken(testVault.derive('link_token'), profileId, token ?? '', at),
    countCustomers: async () => {
      const counts = await shop.ledger.transaction((tx) =>
        sql<{ n: string }>`SELECT count(*) AS n FROM customers`.execute(tx),
      );
      return Number(counts.rows[0]?.n);
    },
  };
}
