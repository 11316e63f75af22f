import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createPersonalDataGate } from '@tributary/operations';
import { createOutbound, localDevelopmentTargets } from '@tributary/outbound';
import { asProvider, createMeta, type Provider, type Providers } from '@tributary/providers';
import { buildConnection, openTest, processQueue, type SceneTraits, scene, testVault } from '@tributary/testkit';
import { sql } from 'kysely';
import { afterAll } from 'vitest';
import { z } from 'zod';
import { exports } from './exports.queue.ts';

export interface ReceivedEvent {
  readonly dataset: string;
  readonly event_id: string;
  readonly event_name: string;
  readonly action_source: string;
  readonly event_source_url?: string;
  readonly user_data: Record<string, unknown>;
  readonly custom_data?: { readonly value: number; readonly currency: string };
}

/** An HTTP platform that accepts batches like Meta: as a whole or not at all, and each event id once. */
export class Platform {
  readonly receivedEvents: ReceivedEvent[] = [];
  /** The number of events per call. */
  readonly calls: number[] = [];
  readonly poisoned = new Set<string>();
  /** How many responses are lost after the batch was accepted. */
  lost = 0;
  /** How many calls fail before anything is accepted. */
  away = 0;
  liveAdSets: { id: string; effective_status: string; promoted_object: { pixel_id: string } }[] = [];
  /** The successive states of a ticket on a platform that processes asynchronously. */
  tickets: string[] = [];
  url = '';
  readonly #server = createServer(async (request, response) => {
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const { pathname } = new URL(request.url ?? '/', 'http://platform');
    if (request.method === 'GET') {
      if (pathname.endsWith('/adsets')) return answer(200, { data: this.liveAdSets });
      return answer(200, { state: this.tickets.shift() ?? 'SUCCESS' });
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { data } = JSON.parse(Buffer.concat(chunks).toString()) as { data: Omit<ReceivedEvent, 'dataset'>[] };
    this.calls.push(data.length);
    if (this.away > 0) {
      this.away -= 1;
      return answer(500, { error: { code: 2, message: 'Service temporarily unavailable', is_transient: true } });
    }
    if (data.some(({ event_id }) => this.poisoned.has(event_id)))
      return answer(400, { error: { code: 100, type: 'OAuthException', message: 'Invalid parameter' } });
    const [, dataset = ''] = /([^/]+)\/events$/.exec(pathname) ?? [];
    const existing = new Set(
      this.receivedEvents.filter((one) => one.dataset === dataset).map(({ event_id }) => event_id),
    );
    this.receivedEvents.push(
      ...data.filter(({ event_id }) => !existing.has(event_id)).map((event) => ({ ...event, dataset })),
    );
    if (this.lost > 0) {
      this.lost -= 1;
      return void request.socket.destroy();
    }
    return answer(200, { events_received: data.length, messages: [], ticket: `t${this.calls.length}` });
  });

  async open(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  meta(): Provider {
    const settings = { clientId: 'x', clientSecret: 'x', apiUrl: this.url, dialogUrl: this.url, apiVersion: 'v26.0' };
    return asProvider(createMeta(settings));
  }

  /** The same platform with asynchronous processing. */
  later(): Provider {
    const meta = this.meta();
    const instant = meta.export as NonNullable<Provider['export']>;
    return {
      ...meta,
      credentials: z.object({ accessToken: z.string(), expiresAt: z.null(), granted: z.array(z.string()) }),
      export: {
        ...instant,
        send: async (account, dataset, prepared, call) => {
          await instant.send(account, dataset, prepared, call);
          return { state: 'processing', ticket: `t${this.calls.length}` };
        },
        poll: async (_account, ticket, call) => {
          const { text } = await call.send({ method: 'GET', url: `${this.url}/status/${ticket}` });
          const { state } = JSON.parse(text) as { state: string };
          if (state === 'SUCCESS') return { state: 'accepted', warnings: [] };
          return state === 'FAILED' ? { state: 'rejected', says: 'FAILED' } : { state: 'processing', ticket };
        },
      },
    };
  }
}

/** A shop whose outcomes are exported to a local platform. */
export async function openExports() {
  const platform = await new Platform().open();
  afterAll(() => platform.close());
  const all = new Map([
    ['social_ads', platform.meta()],
    ['search_ads', platform.later()],
  ]);
  const providers: Providers = { of: (channel) => all.get(channel) };
  const providerOutbound = createOutbound({ timeoutMs: 5_000, policy: localDevelopmentTargets });
  const { kit, api } = await openTest({ providers, providerOutbound });
  const stores = {
    app: kit.app,
    vault: testVault,
    providers,
    providerOutbound,
    gate: createPersonalDataGate(kit.app),
    now: () => kit.clock.now(),
  };
  const handler = exports(stores);

  async function shop(traits: SceneTraits & { channel?: 'social_ads' | 'search_ads' } = {}, more: object = {}) {
    const base = await scene(
      { kit, api },
      {
        scopes: ['exports:read', 'exports:write', 'attribution:write', 'customers:read'],
        ...traits,
      },
    );
    const { profileId, workspaceId, ledger } = base;
    const connectionId = await buildConnection(
      kit,
      { id: profileId, workspaceId },
      {
        channel: traits.channel ?? 'social_ads',
        credentials: { accessToken: 'token', expiresAt: null, granted: [] },
      },
    );
    const target = {
      connection_id: connectionId,
      dataset: '1001',
      events: { payment_received: 'Purchase', lead_created: 'Lead' },
      every_minutes: 1,
      ...more,
    };
    const answerOf = async (method: 'GET' | 'PUT' | 'POST', path: string, body?: object) => {
      const answer = await base.call(method, `/api/v1${path}`, body);
      return { status: answer.statusCode, ...answer.json() };
    };
    const rows = async <Row>(query: ReturnType<typeof sql>) =>
      (await ledger.transaction((tx) => query.execute(tx))).rows as Row[];
    const catalog = await answerOf('PUT', '/conversion-sync/catalog', { exports: [target] });
    return {
      ...base,
      connectionId,
      /** Adds another ad account of the same platform with its own export. Returns its connection id. */
      async addTarget(changes: object = {}) {
        const id = await buildConnection(
          kit,
          { id: profileId, workspaceId },
          {
            channel: traits.channel ?? 'social_ads',
            externalId: 'act_2',
            credentials: { accessToken: 'token', expiresAt: null, granted: [] },
          },
        );
        await answerOf('PUT', '/conversion-sync/catalog', {
          exports: [target, { ...target, connection_id: id, ...changes }],
        });
        return id;
      },
      target,
      catalog,
      answerOf,
      rows,
      pay: async (key: string, body: object = {}) =>
        (await base.send({ idempotency_key: key, occurred_at: kit.clock.now().toISOString(), ...body })).outcomeId,
      /** Makes all waiting events due. */
      tick: () =>
        rows(
          sql`UPDATE export_events SET due_at = now() - interval '1 second' WHERE status IN ('waiting', 'processing')`,
        ),
      /** Runs the queue once with all events due or, given a key, only that one. */
      async run(only: string | null = null) {
        await rows(
          sql`UPDATE export_events e SET due_at = now() + CASE WHEN o.idempotency_key = coalesce(${only}, o.idempotency_key)
              THEN interval '-1 second' ELSE interval '1 hour' END
            FROM outcomes o WHERE o.id = e.outcome_id AND status IN ('waiting', 'processing')`,
        );
        await processQueue(kit.system, 'exports', handler, profileId);
      },
      statuses: async () =>
        Object.fromEntries(
          (
            await rows<{ key: string; status: string; reason: string | null }>(
              sql`SELECT o.idempotency_key AS key, e.status, e.reason FROM export_events e JOIN outcomes o ON o.id = e.outcome_id`,
            )
          ).map(({ key, status, reason }) => [key, reason ? `${status} ${reason}` : status]),
        ),
      announced: async () =>
        (
          await rows<{ type: string; payload: Record<string, unknown> }>(
            sql`SELECT type, payload FROM outbox WHERE type LIKE 'export.%' ORDER BY occurred_at, id`,
          )
        ).map(({ type, payload }) => [type, payload.conversions, payload.sent]),
    };
  }
  return { kit, platform, shop };
}
