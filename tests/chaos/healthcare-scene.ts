import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OAuthScope, type Route, routes } from '@tributary/contract';
import { webhooks } from '@tributary/domain/notifications/webhooks/module.ts';
import { sequenceBatch } from '@tributary/domain/tenancy/events/module.ts';
import { createPersonalDataGate } from '@tributary/operations';
import { createOutbound, localDevelopmentTargets } from '@tributary/outbound';
import {
  buildMarkedProfile,
  idBuilders,
  type MarkedProfile,
  processQueue,
  type TestApi,
  type Testkit,
  testVault,
} from '@tributary/testkit';
import type { IdKind } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { draftOf, validInput, written } from '../generated/requests.ts';
import { credentialsFor, idToken, settled, type World } from '../generated/world.ts';
import { canaryWords, makeCanary } from './canaries.ts';

/** The ids by which a request can refer to a customer whose data consists of canaries. */
export interface CanaryCustomer {
  readonly customer: string;
  readonly conversion: string;
}

/** Credentials of a partner without access to customer data: an API key, and the app token that created it. */
const partnerKinds = ['api_key', 'app'] as const;
type PartnerKind = (typeof partnerKinds)[number];

const customersPerRequest = 1_000;
const deliveryTimeoutMs = 5_000;

/** Starts a local webhook receiver that stores the request bodies. */
export async function openWebhookReceiver() {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      bodies.push(body);
      response.writeHead(204).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const outbound = createOutbound({ timeoutMs: deliveryTimeoutMs, policy: localDevelopmentTargets });
  return {
    bodies,
    url: `http://127.0.0.1:${port}/webhooks`,
    outbound,
    close() {
      outbound.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

type WebhookReceiver = Awaited<ReturnType<typeof openWebhookReceiver>>;

/** A profile with canary customers, as its partner sees it before and after the switch to a healthcare privacy mode. */
export class CanaryProfile {
  readonly #kit: Testkit;
  readonly #api: TestApi;
  readonly #profile: MarkedProfile;
  readonly #receiver: WebhookReceiver;
  readonly #tokens: ReadonlyMap<string, string>;
  #partner: Readonly<Record<PartnerKind, Record<string, string>>> = { api_key: {}, app: {} };

  private constructor(
    kit: Testkit,
    api: TestApi,
    receiver: WebhookReceiver,
    profile: MarkedProfile,
    tokens: ReadonlyMap<string, string>,
  ) {
    this.#kit = kit;
    this.#api = api;
    this.#receiver = receiver;
    this.#profile = profile;
    this.#tokens = tokens;
  }

  static async open(kit: Testkit, api: TestApi, receiver: WebhookReceiver): Promise<CanaryProfile> {
    const profile = await buildMarkedProfile(kit);
    const tokens = new Map<string, string>();
    for (const [kind, build] of Object.entries(idBuilders))
      tokens.set(idToken(kind as IdKind), await build(kit, profile));
    const canaryProfile = new CanaryProfile(kit, api, receiver, profile, tokens);
    await canaryProfile.#connectPartner([...OAuthScope.options]);
    return canaryProfile;
  }

  /** Creates customers through the partner's API. Each has one payment and all customer traits. */
  async createCustomers(from: number, count: number): Promise<void> {
    for (let at = from; at < from + count; at += customersPerRequest) {
      const events = Array.from({ length: Math.min(customersPerRequest, from + count - at) }, (_, index) => {
        const { email, phone } = makeCanary(at + index);
        return {
          event_name: 'payment_received',
          idempotency_key: `order-${at + index}`,
          occurred_at: this.#kit.clock.now().toISOString(),
          properties: { value: '10', currency: 'USD' },
          user_traits: { email, phone, first_name: 'Canary', last_name: `Bird${at + index}` },
        };
      });
      const { status, text } = await this.#call('POST', '/api/v1/events', this.#partner.app, { events });
      if (status !== 202 || !text.includes('"rejected":0'))
        throw new Error(`Creating customers returned ${status}: ${text}`);
    }
  }

  async listCustomers(): Promise<CanaryCustomer[]> {
    const { rows } = await this.#kit.app.forProfile(this.#profile.id).transaction((tx) =>
      sql<CanaryCustomer>`
        SELECT customer_id AS customer, id AS conversion FROM outcomes
        WHERE profile_id = ${this.#profile.id} AND idempotency_key LIKE 'order-%' ORDER BY id`.execute(tx),
    );
    return rows;
  }

  /** Subscribes the app to all events that it may receive. */
  async subscribe(): Promise<void> {
    const events = ['outcome.recorded', 'conversion.attributed', 'recompute.completed'];
    const body = { url: this.#receiver.url, events, providers: ['service'] };
    const { status, text } = await this.#call('POST', '/api/v1/webhooks/subscriptions', this.#partner.app, body);
    if (status !== 201) throw new Error(`Subscribing returned ${status}: ${text}`);
  }

  /** Delivers all pending webhooks. Resolves to the received bodies. */
  async deliver(): Promise<string[]> {
    const { app, system, clock } = this.#kit;
    while ((await sequenceBatch(system.unbound, clock.now())) > 0);
    const stores = {
      app,
      system,
      outbound: this.#receiver.outbound,
      vault: testVault,
      gate: createPersonalDataGate(app),
    };
    await processQueue(system, 'webhooks', webhooks({ ...stores, now: () => clock.now(), random: Math.random }));
    return this.#receiver.bodies.splice(0);
  }

  /** Switches the privacy mode as the app, and then requests the scopes that the app may still have. */
  async becomeHealthcare(privacyMode: 'platform_safe' | 'hipaa'): Promise<void> {
    const path = `/api/v1/profiles/${this.#profile.id}/entitlements/atribu_attribution`;
    const { status, text } = await this.#call('PUT', path, await this.#appToken(), {
      enabled: true,
      privacy_mode: privacyMode,
    });
    if (status !== 200) throw new Error(`The switch returned ${status}: ${text}`);
    await this.#connectPartner(OAuthScope.options.filter((scope) => scope !== 'analytics_pii'));
  }

  /** Lists the routes that the partner may call, and whether each refers to a customer. */
  listPartnerRoutes(): readonly { readonly route: Route; readonly isAboutCustomer: boolean }[] {
    return Object.values<Route>(routes)
      .filter((route) => kindsFor(route).length > 0)
      .map((route) => ({
        route,
        isAboutCustomer: Object.values(route.ids ?? {}).some((kind) => kind in idsOf(emptyCustomer)),
      }));
  }

  /** Calls the route once with each credential that it accepts. Resolves to the responses. */
  async callRoute(
    route: Route,
    customer: CanaryCustomer,
  ): Promise<{ readonly status: number; readonly text: string }[]> {
    const own = Object.entries(idsOf(customer)).map(([kind, id]) => [idToken(kind as IdKind), id] as const);
    const tokens = new Map([...this.#tokens, ...own]);
    const responses = [];
    for (const kind of kindsFor(route)) {
      const draft = draftOf(
        route,
        inputOf(route),
        kind,
        route.idempotency ? { 'idempotency-key': `${randomInt(2 ** 47)}` } : {},
      );
      const world = { tokens, credentials: this.#partner } as unknown as World;
      const { method, url, headers, body } = settled(written(draft), world);
      responses.push(await this.#send(method, url, { ...headers }, body));
    }
    return responses;
  }

  /** Calls an MCP tool with the partner's key. */
  async callTool(name: string, args: Record<string, unknown>): Promise<string> {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
    const headers = { ...this.#partner.api_key, accept: 'application/json, text/event-stream' };
    const { text } = await this.#call('POST', '/mcp', headers, message);
    return text;
  }

  async #connectPartner(scopes: readonly string[]): Promise<void> {
    const grant = await this.#call('PUT', `/api/v1/profiles/${this.#profile.id}/grant`, await this.#appToken(), {
      scopes,
    });
    if (grant.status !== 200) throw new Error(`The grant returned ${grant.status}: ${grant.text}`);
    const app = await this.#token(this.#profile.id);
    const { status, text } = await this.#call('POST', '/api/v1/keys', app, { rate_limit_per_minute: 6_000 });
    if (status !== 201) throw new Error(`The key returned ${status}: ${text}`);
    this.#partner = { app, api_key: { authorization: `Bearer ${JSON.parse(text).data.key}` } };
  }

  #appToken(): Promise<Record<string, string>> {
    return this.#token(undefined);
  }

  async #token(profileId: string | undefined): Promise<Record<string, string>> {
    const { appId, clientSecret } = this.#profile;
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: appId,
      client_secret: clientSecret,
    });
    if (profileId) form.set('profile_id', profileId);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const { status, text } = await this.#send('POST', '/oauth/token', headers, Buffer.from(form.toString()));
    if (status !== 200) throw new Error(`The token returned ${status}: ${text}`);
    return { authorization: `Bearer ${JSON.parse(text).access_token}` };
  }

  #call(method: string, url: string, headers: Record<string, string>, body: object) {
    const json = { ...headers, 'content-type': 'application/json' };
    return this.#send(method, url, json, Buffer.from(JSON.stringify(body)));
  }

  /** Sends each request from another address, because rate limits are not under test. */
  async #send(method: string, url: string, headers: Record<string, string>, body: Buffer | undefined) {
    const { statusCode: status, body: text } = await this.#api.fastify.inject({
      method: method as 'GET',
      url,
      headers,
      remoteAddress: `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`,
      ...(body && { payload: body }),
    });
    return { status, text };
  }
}

/** The id kinds that refer to a customer. A payment is an outcome. */
const idsOf = ({ customer, conversion }: CanaryCustomer): Partial<Record<IdKind, string>> => ({
  customer,
  conversion,
  payment: conversion,
});
const emptyCustomer: CanaryCustomer = { customer: '', conversion: '' };

const kindsFor = ({ access }: Route): PartnerKind[] => {
  const { good } = credentialsFor(access.credentials);
  return partnerKinds.filter((kind) => good.includes(kind));
};

const inputs = new Map<string, ReturnType<typeof validInput>>();

/** Cached per route, because generating an input is slow. */
export function inputOf(route: Route): ReturnType<typeof validInput> {
  const input = inputs.get(route.id) ?? validInput(route, 1);
  inputs.set(route.id, input);
  return input;
}

export const countWords = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + canaryWords(text), 0);
