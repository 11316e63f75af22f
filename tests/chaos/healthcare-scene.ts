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

/** A person of the profile whose every word is a canary, by the ids that a request may name them with. */
export interface Bird {
  readonly customer: string;
  readonly conversion: string;
}

/** What a partner may hold on a profile whose people it may not see: a key, and the token that minted it. */
const partnerKinds = ['api_key', 'app'] as const;
type PartnerKind = (typeof partnerKinds)[number];

const birdsInRequest = 1_000;
const deliveryTimeoutMs = 5_000;

/** Somewhere on this machine that a profile's webhooks go to: it keeps what came. */
export async function openNest() {
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
    url: `http://127.0.0.1:${port}/nest`,
    outbound,
    close() {
      outbound.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

type Nest = Awaited<ReturnType<typeof openNest>>;

/** A profile full of people, as its partner sees it before and after it becomes healthcare-family. */
export class Aviary {
  readonly #kit: Testkit;
  readonly #api: TestApi;
  readonly #profile: MarkedProfile;
  readonly #nest: Nest;
  readonly #tokens: ReadonlyMap<string, string>;
  #partner: Readonly<Record<PartnerKind, Record<string, string>>> = { api_key: {}, app: {} };

  private constructor(
    kit: Testkit,
    api: TestApi,
    nest: Nest,
    profile: MarkedProfile,
    tokens: ReadonlyMap<string, string>,
  ) {
    this.#kit = kit;
    this.#api = api;
    this.#nest = nest;
    this.#profile = profile;
    this.#tokens = tokens;
  }

  static async open(kit: Testkit, api: TestApi, nest: Nest): Promise<Aviary> {
    const profile = await buildMarkedProfile(kit);
    const tokens = new Map<string, string>();
    for (const [kind, build] of Object.entries(idBuilders))
      tokens.set(idToken(kind as IdKind), await build(kit, profile));
    const aviary = new Aviary(kit, api, nest, profile, tokens);
    await aviary.#meetPartner([...OAuthScope.options]);
    return aviary;
  }

  /** Records them as a partner does. Each pays once, and says all that a person can say. */
  async settleBirds(from: number, count: number): Promise<void> {
    for (let at = from; at < from + count; at += birdsInRequest) {
      const events = Array.from({ length: Math.min(birdsInRequest, from + count - at) }, (_, index) => {
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
      if (status !== 202 || !text.includes('"rejected":0')) throw new Error(`Recording answered ${status}: ${text}`);
    }
  }

  async listBirds(): Promise<Bird[]> {
    const { rows } = await this.#kit.app.forProfile(this.#profile.id).transaction((tx) =>
      sql<Bird>`
        SELECT customer_id AS customer, id AS conversion FROM outcomes
        WHERE profile_id = ${this.#profile.id} AND idempotency_key LIKE 'order-%' ORDER BY id`.execute(tx),
    );
    return rows;
  }

  /** The app subscribes to all that it may hear of. */
  async subscribe(): Promise<void> {
    const events = ['outcome.recorded', 'conversion.attributed', 'recompute.completed'];
    const body = { url: this.#nest.url, events, providers: ['service'] };
    const { status, text } = await this.#call('POST', '/api/v1/webhooks/subscriptions', this.#partner.app, body);
    if (status !== 201) throw new Error(`Subscribing answered ${status}: ${text}`);
  }

  /** What is left to tell subscribers is told; resolves to the bodies that came. */
  async deliver(): Promise<string[]> {
    const { app, system, clock } = this.#kit;
    while ((await sequenceBatch(system.unbound, clock.now())) > 0);
    const stores = { app, system, outbound: this.#nest.outbound, vault: testVault, gate: createPersonalDataGate(app) };
    await processQueue(system, 'webhooks', webhooks({ ...stores, now: () => clock.now(), random: Math.random }));
    return this.#nest.bodies.splice(0);
  }

  /** The app itself says so, and then asks for what it may still hold. */
  async becomeHealthcare(privacyMode: 'platform_safe' | 'hipaa'): Promise<void> {
    const path = `/api/v1/profiles/${this.#profile.id}/entitlements/atribu_attribution`;
    const { status, text } = await this.#call('PUT', path, await this.#ownToken(), {
      enabled: true,
      privacy_mode: privacyMode,
    });
    if (status !== 200) throw new Error(`The switch answered ${status}: ${text}`);
    await this.#meetPartner(OAuthScope.options.filter((scope) => scope !== 'analytics_pii'));
  }

  /** Every route that the partner may call, as it would be called; of a person where it is about one. */
  routesOfPartner(): readonly { readonly route: Route; readonly isOfPerson: boolean }[] {
    return Object.values<Route>(routes)
      .filter((route) => kindsFor(route).length > 0)
      .map((route) => ({
        route,
        isOfPerson: Object.values(route.ids ?? {}).some((kind) => kind in idsOf(nobody)),
      }));
  }

  /** Asks once with each credential that the route takes; resolves to what came back. */
  async ask(route: Route, bird: Bird): Promise<{ readonly status: number; readonly text: string }[]> {
    const own = Object.entries(idsOf(bird)).map(([kind, id]) => [idToken(kind as IdKind), id] as const);
    const tokens = new Map([...this.#tokens, ...own]);
    const answers = [];
    for (const kind of kindsFor(route)) {
      const draft = draftOf(
        route,
        inputOf(route),
        kind,
        route.idempotency ? { 'idempotency-key': `${randomInt(2 ** 47)}` } : {},
      );
      const world = { tokens, credentials: this.#partner } as unknown as World;
      const { method, url, headers, body } = settled(written(draft), world);
      answers.push(await this.#send(method, url, { ...headers }, body));
    }
    return answers;
  }

  /** An assistant with the partner's key calls a tool. */
  async callTool(name: string, given: Record<string, unknown>): Promise<string> {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } };
    const headers = { ...this.#partner.api_key, accept: 'application/json, text/event-stream' };
    const { text } = await this.#call('POST', '/mcp', headers, message);
    return text;
  }

  async #meetPartner(scopes: readonly string[]): Promise<void> {
    const grant = await this.#call('PUT', `/api/v1/profiles/${this.#profile.id}/grant`, await this.#ownToken(), {
      scopes,
    });
    if (grant.status !== 200) throw new Error(`The grant answered ${grant.status}: ${grant.text}`);
    const app = await this.#token(this.#profile.id);
    const { status, text } = await this.#call('POST', '/api/v1/keys', app, { rate_limit_per_minute: 6_000 });
    if (status !== 201) throw new Error(`The key answered ${status}: ${text}`);
    this.#partner = { app, api_key: { authorization: `Bearer ${JSON.parse(text).data.key}` } };
  }

  #ownToken(): Promise<Record<string, string>> {
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
    if (status !== 200) throw new Error(`The token answered ${status}: ${text}`);
    return { authorization: `Bearer ${JSON.parse(text).access_token}` };
  }

  #call(method: string, url: string, headers: Record<string, string>, body: object) {
    const json = { ...headers, 'content-type': 'application/json' };
    return this.#send(method, url, json, Buffer.from(JSON.stringify(body)));
  }

  /** From another address each time: how often somebody may ask is not what is asked here. */
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

/** What a request may name somebody by. A payment is an outcome. */
const idsOf = ({ customer, conversion }: Bird): Partial<Record<IdKind, string>> => ({
  customer,
  conversion,
  payment: conversion,
});
const nobody: Bird = { customer: '', conversion: '' };

const kindsFor = ({ access }: Route): PartnerKind[] => {
  const { good } = credentialsFor(access.credentials);
  return partnerKinds.filter((kind) => good.includes(kind));
};

const inputs = new Map<string, ReturnType<typeof validInput>>();

/** Made up once for each route, which takes a while. */
export function inputOf(route: Route): ReturnType<typeof validInput> {
  const input = inputs.get(route.id) ?? validInput(route, 1);
  inputs.set(route.id, input);
  return input;
}

export const countWords = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + canaryWords(text), 0);
