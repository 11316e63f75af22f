import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CustomerMessage } from '@tributary/domain/commerce/customers';
import { recordOutcomes } from '@tributary/domain/commerce/outcomes';
import { paymentStandings } from '@tributary/domain/commerce/payments';
import { announce } from '@tributary/domain/tenancy/events';
import { sequenceBatch } from '@tributary/domain/tenancy/events/module.ts';
import { createPersonalDataGate } from '@tributary/operations';
import { createOutbound, localDevelopmentTargets, type Outbound } from '@tributary/outbound';
import type { Identifier } from '@tributary/rules';
import {
  buildApiKey,
  buildMarkedProfile,
  openTest,
  processQueue,
  type TestApi,
  type Testkit,
  testTombstones,
  testVault,
} from '@tributary/testkit';
import type { ConversionType, OutcomeProvider } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { afterAll } from 'vitest';
import { webhooks } from './module.ts';

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly path: string;
}

/** A local receiver that stores requests and responds as the test configures. */
export async function startReceiver() {
  const received: Received[] = [];
  const receiver = {
    received,
    url: '',
    /** Handles the response: a status, headers, or any other behaviour. */
    answer: (_request: Received, response: ServerResponse): void => void response.writeHead(204).end(),
    events: () => received.map(({ body }) => JSON.parse(body)),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const one = { headers: request.headers, body, path: request.url ?? '' };
      received.push(one);
      receiver.answer(one, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  afterAll(receiver.close);
  return receiver;
}

interface ReportedOutcome {
  readonly externalId?: string;
  readonly provider?: OutcomeProvider;
  readonly outcomeType?: ConversionType;
  readonly money?: { readonly amount: string; readonly currency: string };
  /** Null for an outcome without a customer. */
  readonly email?: string | null;
  readonly phone?: string;
  readonly lastName?: string;
  /** The business's own key of the customer. */
  readonly key?: string;
  /** The provider's ids of the customer. */
  readonly providerIds?: readonly Identifier[];
  readonly occurredAt?: Date;
}

/** Allows deliveries to this machine only. */
export const localOutbound = (timeoutMs = 2_000): Outbound =>
  createOutbound({ timeoutMs, policy: localDevelopmentTargets });

export const handlerOf = (kit: Testkit, outbound: Pick<Outbound, 'openLine'>) =>
  webhooks({
    app: kit.app,
    system: kit.system,
    outbound,
    vault: testVault,
    gate: createPersonalDataGate(kit.app),
    now: () => kit.clock.now(),
    random: () => 0.5,
  });

/** An API with webhooks to this machine, and helpers that record events and deliver. */
export async function openWebhooks() {
  const outbound = localOutbound();
  afterAll(() => outbound.close());
  const { kit, api } = await openTest({ webhookTargets: outbound });
  return { kit, api, outbound, ...toolsOf(kit, outbound) };
}

function toolsOf(kit: Testkit, outbound: Outbound) {
  const handler = handlerOf(kit, outbound);
  return {
    handler,
    /** Sequences published events and sends due deliveries, like the workers. */
    async deliver() {
      await sequenceBatch(kit.system.unbound, kit.clock.now());
      return processQueue(kit.system, 'webhooks', handler);
    },
    /** Publishes events without a customer. */
    async happen(profileId: string, count = 1) {
      const events = Array.from({ length: count }, () => ({
        id: uuid(),
        type: 'recompute.completed' as const,
        data: { profile_id: profileId, replay_id: uuid(), cause: 'test', conversions: 1 },
        occurredAt: kit.clock.now(),
      }));
      await kit.app.forProfile(profileId).transaction((tx) => announce(tx, events));
      return events.map(({ id }) => id);
    },
    /** Records an outcome as a provider reports it; by default a CRM lead. */
    async tell(profileId: string, reported: ReportedOutcome = {}) {
      const now = kit.clock.now();
      const { externalId = uuid(), email = 'ana@example.com', phone, key, outcomeType = 'lead_created' } = reported;
      const evidence: CustomerMessage = {
        identifiers: [
          ...(email ? [{ kind: 'email' as const, value: email }] : []),
          ...(phone ? [{ kind: 'phone' as const, value: phone }] : []),
          ...(key ? [{ kind: 'external_customer_id' as const, value: key }] : []),
          ...(reported.providerIds ?? []),
        ],
        ...(email && { firstName: 'Ana', lastName: reported.lastName }),
      };
      const event = {
        eventName: outcomeType,
        eventType: outcomeType,
        idempotencyKey: `crm:${externalId}`,
        occurredAt: reported.occurredAt ?? now,
        money: reported.money ?? null,
        subjectRef: null,
      };
      const read = {
        event,
        eventKey: outcomeType,
        eventTypeKey: outcomeType,
        said: evidence,
        provided: { externalId, outcomeType },
        rest: {},
        warnings: [],
      };
      const [recorded] = await kit.app.forProfile(profileId).transaction((tx) =>
        recordOutcomes(tx, [read], {
          profileId,
          now,
          evidence: { source: 'test', saidAt: now, requestId: `req_${uuid()}` },
          teller: { source: reported.provider ?? 'crm_a', connectionId: uuid() },
          tombstones: testTombstones,
          payments: paymentStandings,
          findAdPlatforms: async () => new Map(),
          visitors: { holdersOf: async () => new Map(), link: async () => [] },
        }),
      );
      return recorded?.outcomeId as string;
    },
  };
}

const url = '/api/v1/webhooks/subscriptions';

/** A profile that an app governs, with the app's API key. */
export async function openShop(kit: Testkit, api: TestApi, traits: Parameters<typeof buildMarkedProfile>[1] = {}) {
  const profile = await buildMarkedProfile(kit, traits);
  const scopes = ['connections:read', 'connections:write', 'conversions:read', 'customers:read'] as const;
  const key = await buildApiKey(kit.app, profile.id, { scopes, appId: profile.appId });
  const own = await buildApiKey(kit.app, profile.id, { scopes });
  const call = async (
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    payload?: object,
    headers: Readonly<Record<string, string>> = key.headers,
  ) => {
    const answer = await api.call({ method, url: path, headers: { ...headers }, ...(payload && { payload }) });
    return { status: answer.statusCode, ...answer.json() };
  };
  return {
    ...profile,
    key,
    own,
    call,
    async subscribe(to: string, changes: object = {}, headers = key.headers) {
      const body = { url: to, events: ['recompute.completed'], providers: ['service'], ...changes };
      const { status, data } = await call('POST', url, body, headers);
      if (status !== 201) throw new Error(`not subscribed: ${status}`);
      return data as { id: string; secret: string };
    },
    patch: (id: string, body: object) => call('PATCH', `${url}/${id}`, body),
    async deliveries(query = '') {
      return (await call('GET', `/api/v1/webhooks/deliveries?limit=100${query}`)).data;
    },
    async show(id: string) {
      const { data } = await call('GET', url);
      return data.find((one: { id: string }) => one.id === id);
    },
  };
}
