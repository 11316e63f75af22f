import type { Scope } from '@tributary/contract';
import { sealMessage } from '@tributary/domain/ingestion';
import { type BuiltKey, buildApiKey, buildProfile, type TestApi, type Testkit } from '@tributary/testkit';
import { createVault } from '@tributary/vault';
import type { KeyPurpose } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';

/** Keys of these tests' own, in the place of a ring; bad rows and receipts are sealed with the API's. */
export const testRing = {
  keys: (purpose: KeyPurpose) => [{ id: 'test', bytes: Buffer.alloc(32, purpose === 'envelope' ? 7 : 5) }],
  eldest: () => ({ id: 'test', bytes: Buffer.alloc(32, 9) }),
  refresh: async () => {},
};
const streamVault = createVault(() => testRing.keys('stream'));

/** What the collector makes of a request. */
export const requestOf = (
  profileId: string,
  client_id: string,
  receivedAt: Date,
  visits: readonly unknown[],
): string => {
  const user_agent = { browser: 'Firefox', os: 'Linux', device: 'desktop', is_bot: false } as const;
  const arrival = { profile_id: profileId, client_id, country: 'CL', city: 'Santiago', user_agent };
  return JSON.stringify(
    sealMessage(uuid(), { ...arrival, received_at: receivedAt.toISOString() }, visits, [], streamVault),
  );
};

export type Place = Awaited<ReturnType<typeof openPlace>>;

/** A profile with a key that may do all that these tests need, and the few things they do with it. */
export async function openPlace(
  kit: Testkit,
  api: TestApi,
  scopes: readonly Scope[] = ['attribution:write', 'customers:read'],
) {
  const { id: profileId, workspaceId } = await buildProfile(kit.app);
  const key: BuiltKey = await buildApiKey(kit.app, profileId, { scopes });
  let refs = 0;
  const ask = (method: 'GET' | 'POST', url: string, payload?: unknown, headers: Record<string, string> = {}) =>
    api.fastify.inject({
      method,
      url,
      headers: { ...key.headers, ...headers },
      ...(payload !== undefined && { payload: payload as object }),
    });
  const erase = (body: object, headers?: Record<string, string>) => {
    refs += 1;
    return ask('POST', '/api/v1/customers/erasures', { request_ref: `ref-${refs}`, ...body }, headers);
  };
  const rows = async <Row>(statement: ReturnType<typeof sql<Row>>): Promise<Row[]> =>
    (await kit.app.forProfile(profileId).transaction((tx) => statement.execute(tx))).rows;
  return {
    profileId,
    workspaceId,
    key,
    ask,
    erase,
    rows,
    event: (name: string, traits: object, more: object = {}) =>
      ask('POST', '/api/v1/events', {
        event_name: 'lead_created',
        idempotency_key: name,
        user_traits: traits,
        ...more,
      }),
    importRow: async (row: object): Promise<string> =>
      (await ask('POST', '/api/v1/customers', { rows: [row] })).json().data.results[0].customer_profile_id,
    mint: async (row: object) =>
      (await ask('POST', '/api/v1/customers/link-tokens', { customers: [row] })).json().data.results[0],
    read: (erasureId: string) => ask('GET', `/api/v1/customers/erasures/${erasureId}`),
    /** Every table with people, as text: what is not in it is nowhere. */
    everything: async (): Promise<string> => {
      const tables = [
        'customers',
        'identifiers',
        'identity_conflicts',
        'merges',
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
