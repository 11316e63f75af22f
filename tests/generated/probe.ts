import { randomInt } from 'node:crypto';
import type { Route } from '@tributary/contract';
import {
  buildMarkedProfile,
  credentialBuilders,
  idBuilders,
  type MarkedProfile,
  type ProbeCredential,
  type Testkit,
  type TestServer,
} from '@tributary/testkit';
import { type IdKind, idKindNames, idKinds, uuidPattern } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { ReceivedResponse } from './check.ts';
import { draftOf, validInput, withId, written } from './requests.ts';
import { credentialsFor, idToken, settled, type World } from './world.ts';

/** A field of a request that holds an id. */
interface Field {
  readonly name: string;
  readonly kind: IdKind;
  readonly isHeader: boolean;
}

/** Headers that select the profile or workspace. */
const headerFields: readonly Field[] = [
  { name: 'x-profile-id', kind: 'profile', isHeader: true },
  { name: 'x-workspace-id', kind: 'workspace', isHeader: true },
];

const fieldsOf = ({ ids = {} }: Route): Field[] =>
  Object.entries(ids).map(([name, kind]) => ({ name, kind, isHeader: false }));

/** The owner of the id that is sent. A sibling is another profile of the caller's workspace. */
type IdOwner = 'own' | 'stranger' | 'sibling' | 'absent';

/** Kinds that belong to one profile, so that siblings must not see them either. */
const kindsOfProfile: readonly IdKind[] = idKindNames.filter((kind) => idKinds[kind].of === 'profile');

/** A placeholder for the probed id; the request may contain another id of the same kind. */
const probed = 'f0220000-0000-7000-8000-000000000000';

interface ProbeResponse {
  /** The response as received. */
  readonly received: ReceivedResponse;
  /** The response without parts that always differ. */
  readonly masked: string;
  /** Names and ids of the owner of the sent id. */
  readonly secrets: readonly string[];
}

export interface ProbeResult {
  /** Descriptions of responses or changes that reveal other tenants' data. */
  readonly leaks: readonly string[];
  /** Ids whose own owner also gets the response for an unknown id, so that nothing is proven. */
  readonly unproven: readonly string[];
}

/** Sends foreign and unknown ids: their responses must not differ. */
export class Probe {
  readonly #kit: Testkit;
  readonly #server: Pick<TestServer, 'fastify'>;
  readonly #stranger: MarkedProfile;
  readonly #strangersIds = new Map<IdKind, string>();
  readonly #callers = new Map<ProbeCredential, Promise<Caller>>();
  readonly #siblings = new Map<string, Promise<MarkedProfile>>();
  readonly #probedHeaders = new Set<string>();
  /** All rows of the stranger at the last snapshot. */
  #lastSnapshot: string | undefined;

  private constructor(kit: Testkit, server: Pick<TestServer, 'fastify'>, stranger: MarkedProfile) {
    this.#kit = kit;
    this.#server = server;
    this.#stranger = stranger;
  }

  static async open(kit: Testkit, server: Pick<TestServer, 'fastify'>): Promise<Probe> {
    const probe = new Probe(kit, server, await buildMarkedProfile(kit));
    for (const [kind, build] of Object.entries(idBuilders)) {
      probe.#strangersIds.set(kind as IdKind, await build(kit, probe.#stranger));
    }
    return probe;
  }

  async route(route: Route): Promise<ProbeResult> {
    const { good, bad } = credentialsFor(route.access.credentials);
    // Nothing else runs, so the snapshot after the previous route is still current.
    const before = this.#lastSnapshot ?? (await this.#snapshot());
    const leaks: string[] = [];
    const unproven: string[] = [];
    for (const field of [...fieldsOf(route), ...this.#headersOf(route)]) {
      const credentials = field.isHeader ? good : [...good, ...bad];
      let isProven = good.length === 0 || field.isHeader || idBuilders[field.kind].notYet !== undefined;
      for (const credential of credentials.filter(isIssued)) {
        const found = await this.#compare(route, field, credential, good.includes(credential));
        leaks.push(...found.leaks.map((leak) => `${field.name} as ${credential}: ${leak}`));
        isProven ||= found.isProven;
      }
      if (!isProven) unproven.push(field.name);
    }
    this.#lastSnapshot = await this.#snapshot();
    if (this.#lastSnapshot !== before) leaks.push("a stranger's rows were changed");
    return { leaks, unproven };
  }

  /** Headers are read before routing, so one route per chapter, credential kinds and read or write is enough. */
  #headersOf({ chapter, access, method }: Route): readonly Field[] {
    const alike = JSON.stringify([chapter, access.credentials, method === 'GET']);
    if (this.#probedHeaders.has(alike)) return [];
    this.#probedHeaders.add(alike);
    return headerFields;
  }

  async #compare(
    route: Route,
    field: Field,
    credential: ProbeCredential,
    isAccepted: boolean,
  ): Promise<{ leaks: string[]; isProven: boolean }> {
    const probe = (idOwner: IdOwner) => this.#probe(route, field, credential, isAccepted, idOwner);
    const absent = await probe('absent');
    // Sessions may use all profiles of their workspace, so siblings are not foreign to them.
    const hasSibling = kindsOfProfile.includes(field.kind) && credential !== 'session' && isAccepted;
    const leaks: string[] = [];
    for (const idOwner of hasSibling ? (['stranger', 'sibling'] as const) : (['stranger'] as const)) {
      const foreign = await probe(idOwner);
      if (foreign.masked !== absent.masked)
        leaks.push(`a ${idOwner}'s id differs from an unknown one: ${difference(foreign, absent)}`);
      const shown = foreign.secrets.filter((secret) => foreign.received.body.includes(secret));
      if (shown.length > 0) leaks.push(`a ${idOwner}'s ${shown.join(', ')} is shown`);
    }
    return { leaks, isProven: isAccepted && (await probe('own')).masked !== absent.masked };
  }

  async #probe(
    route: Route,
    field: Field,
    credential: ProbeCredential,
    isAccepted: boolean,
    idOwner: IdOwner,
  ): Promise<ProbeResponse> {
    // A request that changes something gets a fresh caller, so that its effects do not distort the comparison.
    const caller = await this.#caller(credential, isAccepted && route.method !== 'GET');
    const owner = await this.#owner(idOwner, caller);
    const tokens = new Map<string, string>();
    for (const kind of Object.values(route.ids ?? {}))
      tokens.set(idToken(kind), await this.#idOf(kind, caller.profile));
    const id = owner ? await this.#idOf(field.kind, owner) : uuid();
    tokens.set(probed, id);

    const input = validInput(route, 1);
    const headers: Record<string, string> = route.idempotency ? { 'idempotency-key': uuid() } : {};
    const draft = field.isHeader
      ? draftOf(route, input, credential, { ...headers, [field.name]: probed })
      : draftOf(route, withId(route, input, field.name, probed), credential, headers);
    const request = written(draft);
    if (!JSON.stringify([request.url, request.headers, String(request.body)]).includes(probed)) {
      throw new Error(`${route.id} has no field ${field.name} for an id`);
    }
    const world: World = { tokens, credentials: { [credential]: caller.headers } as World['credentials'] };
    const received = await this.#send(settled(request, world));
    const isForeign = owner !== undefined && owner !== caller.profile;
    const secrets = isForeign ? [owner.mark, owner.id, owner.appId].filter((secret) => secret !== id) : [];
    return { received, masked: mask(received), secrets };
  }

  async #owner(idOwner: IdOwner, { profile }: Caller): Promise<MarkedProfile | undefined> {
    switch (idOwner) {
      case 'own':
        return profile;
      case 'stranger':
        return this.#stranger;
      case 'sibling':
        return this.#sibling(profile.workspaceId);
      case 'absent':
        return undefined;
    }
  }

  #sibling(workspaceId: string): Promise<MarkedProfile> {
    const existing = this.#siblings.get(workspaceId) ?? buildMarkedProfile(this.#kit, { workspaceId });
    this.#siblings.set(workspaceId, existing);
    return existing;
  }

  async #idOf(kind: IdKind, profile: MarkedProfile): Promise<string> {
    // The stranger's ids are built in advance, so that a snapshot shows every change.
    const existing = profile === this.#stranger ? this.#strangersIds.get(kind) : undefined;
    return existing ?? idBuilders[kind](this.#kit, profile);
  }

  #caller(credential: ProbeCredential, isFresh: boolean): Promise<Caller> {
    const build = async () => {
      const profile = await buildMarkedProfile(this.#kit);
      return { profile, headers: await credentialBuilders[credential](this.#kit, profile) };
    };
    if (isFresh) return build();
    const existing = this.#callers.get(credential) ?? build();
    this.#callers.set(credential, existing);
    return existing;
  }

  async #send({ method, url, headers, body }: ReturnType<typeof written>): Promise<ReceivedResponse> {
    const response = await this.#server.fastify.inject({
      method: method as 'GET',
      url,
      headers: { ...headers },
      // Rate limits count by address; a 429 would distort the comparison.
      remoteAddress: `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`,
      ...(body && { payload: body }),
    });
    return { status: response.statusCode, headers: response.headers, body: response.body };
  }

  /** All rows of the stranger, to detect changes. */
  async #snapshot(): Promise<string> {
    const { id, workspaceId } = this.#stranger;
    return this.#kit.app.withScope({ profileId: id, workspaceId }).transaction(async (tx) => {
      const { rows } = await sql<{ name: string }>`
        SELECT DISTINCT table_name AS name FROM information_schema.columns
        JOIN information_schema.tables USING (table_schema, table_name)
        WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND column_name IN ('profile_id', 'workspace_id')
        ORDER BY name`.execute(tx);
      const tables = [...rows.map(({ name }) => name), 'profiles'].map(
        (name) =>
          sql`SELECT ${name}::text AS name, string_agg(t::text, ' ' ORDER BY t::text) AS text FROM ${sql.table(name)} t`,
      );
      const found = await sql<{ name: string; text: string | null }>`${sql.join(tables, sql` UNION ALL `)}`.execute(tx);
      return found.rows.map(({ name, text }) => `${name}: ${text}`).join('\n');
    });
  }
}

interface Caller {
  readonly profile: MarkedProfile;
  readonly headers: Record<string, string>;
}

const isIssued = (name: string): name is ProbeCredential => name in credentialBuilders;

const volatileHeaders = /^(date|x-request-id|x-ratelimit-.*|connection|keep-alive)$/;
const uuids = new RegExp(uuidPattern, 'gi');
const marks = /mark-[0-9a-f]{12}/g;
const secrets =
  /trib_[a-z]+_[0-9A-Za-z]{4,38}|whsec_[0-9A-Za-z+/]{43}=|trk_[0-9A-Za-z]{22}|(?<=\\"(?:token|identify_secret)\\":\\"|\/connect\/)[\w-]{43,72}/g;

function mask({ status, headers, body }: ReceivedResponse): string {
  const stableHeaders = Object.entries(headers).filter(([name]) => !volatileHeaders.test(name));
  const text = JSON.stringify({ status, headers: Object.fromEntries(stableHeaders), body });
  // A new key is shown in full once, next to its last characters, which identify it later.
  const ends = (text.match(secrets) ?? []).map((secret) => secret.slice(-4));
  const masked = text.replace(uuids, '<id>').replace(secrets, '<secret>').replace(marks, '<mark>');
  return ends.reduce((shown, end) => shown.replaceAll(`"${end}\\"`, '"<end>'), masked);
}

const difference = (a: ProbeResponse, b: ProbeResponse) =>
  [a, b].map(({ received }) => `${received.status} ${received.body.slice(0, 160)}`).join(' <> ');
