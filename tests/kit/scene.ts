import type { ClickHouse, TouchRow, VisitRow } from '@tributary/clickhouse';
import { visit } from '@tributary/clickhouse/visit.fixture.ts';
import type { Scope } from '@tributary/contract';
import { copyDelivery } from '@tributary/domain/advertising/campaigns/module.ts';
import { replay } from '@tributary/domain/measurement/attribution/module.ts';
import { entityIdOf } from '@tributary/rules';
import type { EntityLevel } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { Answer, TestApi } from './api.ts';
import { buildProfile, type ProfileTraits } from './builders.ts';
import { buildApiKey } from './keys.ts';
import { matchSales, settleAll } from './settle.ts';
import type { Testkit } from './testkit.ts';

/** The result of `openTest`, or the processes of a drill. */
export interface World {
  readonly kit: Pick<Testkit, 'app'> & Partial<Pick<Testkit, 'system'>>;
  readonly api: Pick<TestApi, 'call'>;
  /** Required by scenes that have visits, touches or reports. */
  readonly clickhouse?: ClickHouse;
}

export interface SceneTraits extends ProfileTraits {
  /** Uses this existing profile instead of creating one. */
  readonly profileId?: string;
  /** The scopes of the scene's own key. */
  readonly scopes?: readonly Scope[];
  readonly requestsPerMinute?: number;
}

const everyday: readonly Scope[] = [
  'customers:read',
  'conversions:read',
  'campaigns:read',
  'attribution:write',
  'goals:write',
];

const start = Date.parse('2026-03-01T00:00:00Z');
/** The time so many days after 1 March 2026. */
export const at = (days: number) => new Date(start + days * 86_400_000).toISOString();

export type Scene = Awaited<ReturnType<typeof scene>>;

/** A shop with its own profile and key, and helpers that create data in it and query the results. */
export async function scene({ kit, api, clickhouse }: World, traits: SceneTraits = {}) {
  const { app, system } = kit;
  const { id: profileId, workspaceId } = traits.profileId
    ? await profileOf(app, traits.profileId)
    : await buildProfile(app, traits);
  const { scopes = everyday, requestsPerMinute } = traits;
  const key = await buildApiKey(app, profileId, { scopes, ...(requestsPerMinute && { requestsPerMinute }) });
  const keyWith = async (...some: Scope[]) => (await buildApiKey(app, profileId, { scopes: some })).headers;
  const ledger = app.forProfile(profileId);
  const stores = () => {
    if (!clickhouse || !system) throw new Error('This shop was opened without the stores that this needs.');
    return { app, system, clickhouse };
  };

  /** Returns the response whatever its status. */
  const call = (
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    url: string,
    payload?: object | string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> =>
    api.call({ method, url, headers: { ...key.headers, ...headers }, ...(payload !== undefined && { payload }) });
  /** `headers` replaces the key's headers. */
  const ask = async (
    url: string,
    headers: Readonly<Record<string, string>> = key.headers,
    method: 'GET' | 'POST' = 'GET',
    payload?: object,
  ) => {
    const answer = await api.call({ method, url, headers: { ...headers }, ...(payload && { payload }) });
    return { status: answer.statusCode, headers: answer.headers, body: answer.json() };
  };
  /** Throws unless the request succeeds. */
  const post = async (url: string, payload: object) => {
    const answer = await call('POST', url, payload);
    if (answer.statusCode >= 300) throw new Error(answer.body);
    return answer.json().data;
  };
  return {
    profileId,
    workspaceId,
    key,
    /** `full`: the headers of the shop's own key. `projected`: the headers of a key without access to personal data. */
    full: key.headers,
    projected: await keyWith('conversions:read'),
    keyWith,
    ledger,
    call,
    ask,
    post,

    /** Sends an event, by default a payment, and returns the customer it was assigned to. */
    async send(body: object = {}) {
      const { outcome_event_id } = await post('/api/v1/events', {
        event_name: 'payment_received',
        idempotency_key: uuid(),
        occurred_at: at(20),
        properties: { value: '100.00', currency: 'USD' },
        user_traits: { email: 'eva@example.test', external_id: 'eva-1', first_name: 'Eva', last_name: 'Soto' },
        ...body,
      });
      const outcome = await ledger.transaction((tx) =>
        tx.selectFrom('outcomes').select('customer_id').where('id', '=', outcome_event_id).executeTakeFirstOrThrow(),
      );
      return { outcomeId: outcome_event_id as string, customerId: outcome.customer_id as string };
    },
    /** Reports days of ad spend as a platform does. */
    spend: (...rows: object[]) =>
      post('/api/v1/spend', {
        rows: rows.map((row) => ({ platform: 'social_ads', level: 'ad', currency: 'USD', spend: '0', ...row })),
      }),
    entity: (level: EntityLevel, externalId: string, platform = 'social_ads') =>
      entityIdOf(profileId, platform, level, externalId),

    async visit(changes: Partial<VisitRow> = {}) {
      const row = visit({ profile_id: profileId, visit_id: uuid(), ...changes });
      await stores().clickhouse.insert('visits', [row]);
      return row;
    },
    async touch(...touches: Partial<TouchRow>[]) {
      const rows = touches.map((one) => ({ touch_id: uuid(), channel: 'paid_social', source: 'facebook', ...one }));
      const lines = rows.map((row) => JSON.stringify({ profile_id: profileId, session_id: uuid(), ...row }));
      if (lines.length > 0) await stores().clickhouse.insertLines('touches', lines.join('\n'));
    },
    /** Links browsers to the customer with this e-mail address or id. */
    async link(visitorId: string, customer: string) {
      await ledger.transaction((tx) =>
        sql`INSERT INTO visitor_links (profile_id, visitor_id, customer_id, source, linked_at)
          SELECT DISTINCT profile_id, ${visitorId}::uuid, customer_id, 'identify', ${at(0)}::timestamptz FROM identifiers
          WHERE ${customer} IN (value, customer_id::text) ON CONFLICT DO NOTHING`.execute(tx),
      );
    },

    /** Processes the queues until conversions have their credits. */
    attribute: () => settleAll(stores()),
    /** Like `attribute`, and also matches sales and copies delivery, until reports show every change. */
    async settle() {
      const { signal } = new AbortController();
      await matchSales(stores());
      await replay(stores(), { profileId, cause: 'test', now: () => new Date(), signal });
      await copyDelivery(stores(), profileId, 10_000);
    },

    /** Collects the events of a journey over all its pages. */
    async pages(url: string, limit: number, headers?: Readonly<Record<string, string>>) {
      const events: Record<string, unknown>[] = [];
      for (let offset = 0; ; offset += limit) {
        const { body } = await ask(`${url}${url.includes('?') ? '&' : '?'}offset=${offset}&limit=${limit}`, headers);
        events.push(...body.data.events);
        if (body.data.events.length === 0) return { events, total: body.data.total_count as number };
      }
    },
    /** The data access log, newest first. */
    accesses: () =>
      app
        .forWorkspace(workspaceId)
        .transaction((tx) =>
          tx.selectFrom('pii_access_log').select(['operation', 'people', 'result']).orderBy('id', 'desc').execute(),
        ),
  };
}

async function profileOf(app: Testkit['app'], id: string) {
  const { workspace_id } = await app
    .forProfile(id)
    .transaction((tx) =>
      tx.selectFrom('profiles').select('workspace_id').where('id', '=', id).executeTakeFirstOrThrow(),
    );
  return { id, workspaceId: workspace_id };
}
