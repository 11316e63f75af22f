import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouse, TouchRow, VisitRow } from '@tributary/clickhouse';
import { visit } from '@tributary/clickhouse/visit.fixture.ts';
import type { Scope } from '@tributary/contract';
import { startAttribution } from '@tributary/domain/attribution';
import { dayMs } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import type { TestApi } from './api.ts';
import { buildProfile, type ProfileTraits } from './builders.ts';
import { buildApiKey } from './keys.ts';
import type { Testkit } from './testkit.ts';

const start = Date.parse('2026-03-01T00:00:00Z');
/** A moment so many days after the first of March 2026. */
export const at = (days: number) => new Date(start + days * dayMs).toISOString();

/** A shop of its own, and the tools to make things happen in it and to ask what happened. */
export async function openShop(kit: Testkit, api: TestApi, clickhouse: ClickHouse, traits: ProfileTraits = {}) {
  const { id: profileId, workspaceId } = await buildProfile(kit.app, traits);
  const keyWith = async (...scopes: Scope[]) => (await buildApiKey(kit.app, profileId, { scopes })).headers;
  const full = await keyWith('customers:read', 'conversions:read', 'attribution:write');
  const projected = await keyWith('conversions:read');
  const ledger = kit.app.forProfile(profileId);
  const ask = async (
    url: string,
    headers: Readonly<Record<string, string>> = full,
    method: 'GET' | 'POST' = 'GET',
    payload?: object,
  ) => {
    const response = await api.fastify.inject({ method, url, headers: { ...headers }, ...(payload && { payload }) });
    // biome-ignore lint/suspicious/noExplicitAny: whatever the answer holds, the test says what it should be.
    return { status: response.statusCode, headers: response.headers, body: response.json() as any };
  };
  const post = async (url: string, payload: object) => {
    const { status, body } = await ask(url, full, 'POST', payload);
    if (status >= 300) throw new Error(JSON.stringify(body));
    return body.data;
  };
  return {
    profileId,
    workspaceId,
    ledger,
    full,
    projected,
    keyWith,
    ask,
    post,
    /** What the answers of a journey hold, page after page. */
    async pages(url: string, limit: number, headers: Readonly<Record<string, string>> = full) {
      const events: Record<string, unknown>[] = [];
      for (let offset = 0; ; offset += limit) {
        const { body } = await ask(`${url}${url.includes('?') ? '&' : '?'}offset=${offset}&limit=${limit}`, headers);
        events.push(...body.data.events);
        if (body.data.events.length === 0) return { events, total: body.data.total_count as number };
      }
    },
    /** The customer of whom the event told. */
    async send(body: object) {
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
    async visit(changes: Partial<VisitRow> = {}) {
      const row = visit({ profile_id: profileId, visit_id: uuid(), ...changes });
      await clickhouse.insert('visits', [row]);
      return row;
    },
    async touch(changes: Partial<TouchRow> = {}) {
      const row = { profile_id: profileId, touch_id: uuid(), channel: 'paid_social', source: 'facebook', ...changes };
      await clickhouse.insertLines('touches', JSON.stringify(row));
      return row;
    },
    async link(visitorId: string, customerId: string) {
      await ledger.transaction((tx) =>
        tx
          .insertInto('visitor_links')
          .values({
            profile_id: profileId,
            visitor_id: visitorId,
            customer_id: customerId,
            source: 'identify',
            linked_at: new Date(start),
          })
          .execute(),
      );
    },
    /** Works out what the conversions owe to their touches. */
    async attribute() {
      const attribution = startAttribution({
        app: kit.app,
        system: kit.system,
        clickhouse,
        now: () => kit.clock.now(),
        onError: (error) => console.error(error),
        idleMs: 20,
      });
      const isLeft = () =>
        ledger.transaction((tx) => tx.selectFrom('dirty_conversions').select('outcome_id').limit(1).execute());
      while ((await isLeft()).length > 0) await sleep(20);
      await attribution.stop();
    },
    /** What the log of reads of people says, the newest first. */
    async accesses() {
      const rows = await kit.app
        .forWorkspace(workspaceId)
        .transaction((tx) =>
          tx.selectFrom('pii_access_log').select(['operation', 'people', 'result']).orderBy('id', 'desc').execute(),
        );
      return rows;
    },
  };
}
export type Shop = Awaited<ReturnType<typeof openShop>>;
