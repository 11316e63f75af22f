import { sealMessage } from '@tributary/domain/traffic/ingestion/module.ts';
import { type SceneTraits, scene, testStreamVault, type World } from '@tributary/testkit';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';

/** The message that the collector publishes for a request. */
export const requestOf = (
  profileId: string,
  client_id: string,
  receivedAt: Date,
  visits: readonly unknown[],
): string => {
  const user_agent = { browser: 'Firefox', os: 'Linux', device: 'desktop', is_bot: false } as const;
  const arrival = { profile_id: profileId, client_id, country: 'CL', city: 'Santiago', user_agent };
  return JSON.stringify(
    sealMessage(uuid(), { ...arrival, received_at: receivedAt.toISOString() }, visits, [], testStreamVault),
  );
};

/** A customer with every kind of identifier. */
export const ana = {
  external_id: 'key-ana',
  email: 'ana.soto@example.cl',
  phone: '+56912345678',
  national_id: '12345678-5',
  crm_contact_id: 'crm-ana',
  store_customer_id: 'store-ana',
  payments_customer_id: 'pay-ana',
  first_name: 'Anastasia',
  last_name: 'Sotomayor',
};

export type Shop = Awaited<ReturnType<typeof openShop>>;

/** A shop that records customers and requests their erasure. */
export async function openShop(world: World, traits: SceneTraits = {}) {
  const profile = await scene(world, { scopes: ['attribution:write', 'customers:read'], ...traits });
  const { call, ledger } = profile;
  let refs = 0;
  const rows = async <Row>(statement: ReturnType<typeof sql<Row>>): Promise<Row[]> =>
    (await ledger.transaction((tx) => statement.execute(tx))).rows;
  return {
    ...profile,
    rows,
    erase(body: object, headers?: Record<string, string>) {
      refs += 1;
      return call('POST', '/api/v1/customers/erasures', { request_ref: `ref-${refs}`, ...body }, headers);
    },
    event: (name: string, traits: object, more: object = {}) =>
      call('POST', '/api/v1/events', {
        event_name: 'lead_created',
        idempotency_key: name,
        user_traits: traits,
        ...more,
      }),
    importRow: async (row: object): Promise<string> =>
      (await call('POST', '/api/v1/customers', { rows: [row] })).json().data.results[0].customer_profile_id,
    mint: async (row: object) =>
      (await call('POST', '/api/v1/customers/link-tokens', { customers: [row] })).json().data.results[0],
    read: (erasureId: string) => call('GET', `/api/v1/customers/erasures/${erasureId}`),
    /** Status and error code of the journey by customer key. */
    async journeyByKey(customer_key: string): Promise<[status: number, code: string | undefined]> {
      const answer = await call('GET', `/api/v1/customers/journey?${new URLSearchParams({ customer_key })}`);
      return [answer.statusCode, answer.json().error?.code];
    },
    /** The contents of every table with personal data, as text. */
    everything: async (): Promise<string> => {
      const tables = [
        'customers',
        'identifiers',
        'identity_conflicts',
        'kept_apart',
        'merges',
        'said_together',
        'search_terms',
        'outcomes',
        'visitor_links',
        'erasures',
        'erasure_work',
        'tombstones',
        'outbox',
        'event_log',
        'dirty_customers',
        'journey_summaries',
        'outcome_totals',
      ];
      const texts = [];
      for (const table of tables)
        texts.push(JSON.stringify(await rows(sql`SELECT to_jsonb(t) AS row FROM ${sql.table(table)} t`)));
      return texts.join('\n');
    },
  };
}
