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
import type { Answered } from './check.ts';
import { draftOf, validInput, withId, written } from './requests.ts';
import { credentialsFor, idToken, settled, type World } from './world.ts';

/** A place in a request where an id may stand. */
interface Field {
  readonly name: string;
  readonly kind: IdKind;
  readonly isHeader: boolean;
}

/** With these a person says where they act. */
const headerFields: readonly Field[] = [
  { name: 'x-profile-id', kind: 'profile', isHeader: true },
  { name: 'x-workspace-id', kind: 'workspace', isHeader: true },
];

const fieldsOf = ({ ids = {} }: Route): Field[] =>
  Object.entries(ids).map(([name, kind]) => ({ name, kind, isHeader: false }));

/** Whose id is sent. A sibling is another profile of the caller's own workspace. */
type Whose = 'own' | 'stranger' | 'sibling' | 'absent';

/** What belongs to one profile, and so is as foreign to its siblings as to strangers. */
const kindsOfProfile: readonly IdKind[] = idKindNames.filter((kind) => idKinds[kind].of === 'profile');

/** Stands for the id that is probed; another id of the same kind may stand in the same request. */
const probed = 'f0220000-0000-7000-8000-000000000000';

interface Told {
  /** As it was sent. */
  readonly answered: Answered;
  /** Without what differs between any two answers. */
  readonly masked: string;
  /** Words and ids of whoever owns the id that was sent. */
  readonly secrets: readonly string[];
}

export interface ProbeResult {
  /** Where somebody learns of what is not theirs. */
  readonly leaks: readonly string[];
  /** Ids whose own owner is told the same as of one that never was: of those nothing is proven. */
  readonly unproven: readonly string[];
}

/** Asks with ids of others, and with unknown ids: who asks must not be able to tell. */
export class Probe {
  readonly #kit: Testkit;
  readonly #server: Pick<TestServer, 'fastify'>;
  readonly #stranger: MarkedProfile;
  readonly #strangersIds = new Map<IdKind, string>();
  readonly #callers = new Map<ProbeCredential, Promise<Caller>>();
  readonly #siblings = new Map<string, Promise<MarkedProfile>>();
  readonly #probedHeaders = new Set<string>();
  /** All that the stranger had when it was looked at last. */
  #stands: string | undefined;

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
    // Nobody else is at work: as it was after the route before, so it is now.
    const before = this.#stands ?? (await this.#snapshot());
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
    this.#stands = await this.#snapshot();
    if (this.#stands !== before) leaks.push("a stranger's rows were changed");
    return { leaks, unproven };
  }

  /** They are read before any route is: one of each chapter shows it for all that take the same callers and change something, or nothing. */
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
    isTaken: boolean,
  ): Promise<{ leaks: string[]; isProven: boolean }> {
    const ask = (whose: Whose) => this.#ask(route, field, credential, isTaken, whose);
    const absent = await ask('absent');
    // A person's workspace is theirs with all of its profiles.
    const hasSibling = kindsOfProfile.includes(field.kind) && credential !== 'session' && isTaken;
    const leaks: string[] = [];
    for (const whose of hasSibling ? (['stranger', 'sibling'] as const) : (['stranger'] as const)) {
      const told = await ask(whose);
      if (told.masked !== absent.masked) leaks.push(`a ${whose}'s is told from none: ${difference(told, absent)}`);
      const shown = told.secrets.filter((secret) => told.answered.body.includes(secret));
      if (shown.length > 0) leaks.push(`a ${whose}'s ${shown.join(', ')} is shown`);
    }
    return { leaks, isProven: isTaken && (await ask('own')).masked !== absent.masked };
  }

  async #ask(route: Route, field: Field, credential: ProbeCredential, isTaken: boolean, whose: Whose): Promise<Told> {
    // What an earlier request did must not tell two later ones apart.
    const caller = await this.#caller(credential, isTaken && route.method !== 'GET');
    const owner = await this.#owner(whose, caller);
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
      throw new Error(`${route.id} has no field ${field.name} that an id could be put into`);
    }
    const world: World = { tokens, credentials: { [credential]: caller.headers } as World['credentials'] };
    const answered = await this.#send(settled(request, world));
    const isForeign = owner !== undefined && owner !== caller.profile;
    const secrets = isForeign ? [owner.mark, owner.id, owner.appId].filter((secret) => secret !== id) : [];
    return { answered, masked: mask(answered), secrets };
  }

  async #owner(whose: Whose, { profile }: Caller): Promise<MarkedProfile | undefined> {
    switch (whose) {
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
    const known = this.#siblings.get(workspaceId) ?? buildMarkedProfile(this.#kit, { workspaceId });
    this.#siblings.set(workspaceId, known);
    return known;
  }

  async #idOf(kind: IdKind, profile: MarkedProfile): Promise<string> {
    // The stranger's were there before, so that it can be seen whether all stays as it was.
    const known = profile === this.#stranger ? this.#strangersIds.get(kind) : undefined;
    return known ?? idBuilders[kind](this.#kit, profile);
  }

  #caller(credential: ProbeCredential, isFresh: boolean): Promise<Caller> {
    const build = async () => {
      const profile = await buildMarkedProfile(this.#kit);
      return { profile, headers: await credentialBuilders[credential](this.#kit, profile) };
    };
    if (isFresh) return build();
    const known = this.#callers.get(credential) ?? build();
    this.#callers.set(credential, known);
    return known;
  }

  async #send({ method, url, headers, body }: ReturnType<typeof written>): Promise<Answered> {
    const response = await this.#server.fastify.inject({
      method: method as 'GET',
      url,
      headers: { ...headers },
      // Allowances are counted by address, and running out of one would look like an answer.
      remoteAddress: `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`,
      ...(body && { payload: body }),
    });
    return { status: response.statusCode, headers: response.headers, body: response.body };
  }

  /** All that the stranger has, to see whether it stays so. */
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

function mask({ status, headers, body }: Answered): string {
  const kept = Object.entries(headers).filter(([name]) => !volatileHeaders.test(name));
  const text = JSON.stringify({ status, headers: Object.fromEntries(kept), body });
  // A new key is shown whole once, beside the ends that it will be known by.
  const ends = (text.match(secrets) ?? []).map((secret) => secret.slice(-4));
  const masked = text.replace(uuids, '<id>').replace(secrets, '<secret>').replace(marks, '<mark>');
  return ends.reduce((shown, end) => shown.replaceAll(`"${end}\\"`, '"<end>'), masked);
}

const difference = (a: Told, b: Told) =>
  [a, b].map(({ answered }) => `${answered.status} ${answered.body.slice(0, 160)}`).join(' <> ');
