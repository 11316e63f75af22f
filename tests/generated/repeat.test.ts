import { randomInt } from 'node:crypto';
import { OAuthScope, type Route, routes, secretsOf } from '@tributary/contract';
import { createOutbound } from '@tributary/outbound';
import {
  buildMarkedProfile,
  credentialBuilders,
  idBuilders,
  type MarkedProfile,
  openTestWithClickHouse,
  type ProbeCredential,
  testVault,
} from '@tributary/testkit';
import type { IdKind } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { describe, expect, test } from 'vitest';
import { draftOf, validInput, written } from './requests.ts';
import { credentialsFor, idToken, settled, type World } from './world.ts';

/** Resolves every host name to this public address; nothing is sent there. */
const resolver = { resolve4: async () => ['93.184.216.34'], resolve6: async () => [] };
const { kit, api } = await openTestWithClickHouse({
  webhookTargets: createOutbound({ timeoutMs: 1_000, resolver }),
});

const keyed = Object.values<Route>(routes).filter(
  ({ idempotency }) => idempotency === 'accepted' || idempotency === 'required',
);
const needsProvider = ({ refusals = [] }: Route) =>
  refusals.includes('provider_error') ||
  refusals.includes('not_implemented') ||
  refusals.includes('connection_not_ready');
/**
 * These need more than a generated world has: purchases in several regions and past days for an experiment, a mail server and a recipient for a
 * report mail. Tests of their modules cover them.
 */
const needsMore: readonly string[] = [
  'createExperiment',
  'stopExperiment',
  'createReportMail',
  'leaveReportMail',
  'sendReportMail',
];
const secretPattern = /trib_[a-z]+_[0-9A-Za-z]{38}/g;

/** Builds principals with all permissions of their kind on the profile. In the second round, the app is another app with the same grant. */
async function buildPrincipals(profile: MarkedProfile, kinds: readonly ProbeCredential[]) {
  const other = await buildMarkedProfile(kit);
  const grant = { profile_id: profile.id, app_id: other.appId, oauth_scopes: OAuthScope.options };
  const times = { created_at: kit.clock.now(), updated_at: kit.clock.now() };
  await kit.app.forProfile(profile.id).transaction((tx) =>
    tx
      .insertInto('grants')
      .values({ ...grant, ...times })
      .execute(),
  );
  const rounds = [profile, { ...profile, appId: other.appId, clientSecret: other.clientSecret }];
  const built = rounds.flatMap((each, round) =>
    kinds.map(async (kind) => ({
      name: `${kind} ${round + 1}`,
      kind,
      headers: await credentialBuilders[kind](kit, each),
    })),
  );
  return Promise.all(built);
}

type Principal = Awaited<ReturnType<typeof buildPrincipals>>[number];

async function send(route: Route, principal: Principal, tokens: ReadonlyMap<string, string>, key: string) {
  const draft = draftOf(route, validInput(route, 1), principal.kind, { 'idempotency-key': key });
  const world = { tokens, credentials: { [principal.kind]: principal.headers } } as unknown as World;
  const { method, url, headers, body } = settled(written(draft), world);
  const response = await api.fastify.inject({
    method: method as 'POST',
    url,
    headers: { ...headers },
    remoteAddress: `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`,
    ...(body && { payload: body }),
  });
  return { ...response, isReplay: response.headers['idempotent-replayed'] === 'true' };
}

const tokensOf = async (route: Route, profile: MarkedProfile) => {
  const kinds = Object.values<IdKind>(route.ids ?? {});
  return new Map(
    await Promise.all(kinds.map(async (kind) => [idToken(kind), await idBuilders[kind](kit, profile)] as const)),
  );
};

/** Reads and decrypts all stored responses, in the tenant scopes of the profile, its workspace and the app. */
async function readStoredResponses({ id, workspaceId, appId }: MarkedProfile): Promise<string[]> {
  const scopes = [{ profileId: id }, { workspaceId }, { appId }];
  const rows = await Promise.all(
    scopes.map((scope) =>
      kit.app.withScope(scope).transaction((tx) => tx.selectFrom('idempotent_answers').selectAll().execute()),
    ),
  );
  return rows.flat().map(({ owner_id, key_hash, body }) =>
    testVault.open(body, {
      table: 'idempotent_answers',
      column: 'body',
      row: key_hash.toString('hex'),
      profileId: owner_id,
    }),
  );
}

describe('an Idempotency-Key never returns the response of another principal of the profile:', () => {
  test.each(keyed.map((route) => [route.id, route] as const))('%s', async (_, route) => {
    const kinds = credentialsFor(route.access.credentials).good as ProbeCredential[];
    const profile = await buildMarkedProfile(kit);
    const tokens = await tokensOf(route, profile);
    const principals = await buildPrincipals(profile, kinds);
    const key = uuid();
    const responses = new Map<string, string>();
    let sentAfterOthers = 0;
    for (const principal of principals) {
      sentAfterOthers += Math.sign(responses.size);
      const first = await send(route, principal, tokens, key);
      expect(first.isReplay, `${principal.name} received the response of ${[...responses.keys()]}`).toBe(false);
      const foreign = [...responses.values()].flatMap((body) => body.match(secretPattern) ?? []);
      for (const secret of foreign) expect(first.body).not.toContain(secret);
      if (first.statusCode >= 300) continue;
      responses.set(principal.name, first.body);

      const repeated = await send(route, principal, tokens, key);
      expect([repeated.statusCode, repeated.isReplay], principal.name).toEqual([first.statusCode, true]);
      const secrets = secretsOf(route.answers[first.statusCode] as never);
      const { data, meta } = first.json();
      const left = Object.fromEntries(Object.entries(data).filter(([name]) => !secrets.includes(name)));
      expect(repeated.json().data).toEqual(left);
      expect(repeated.json().meta).toEqual(secrets.length > 0 ? { ...meta, left_out: secrets } : meta);
      expect(repeated.body.match(secretPattern)).toBeNull();
    }
    // These routes need an external provider; tests of their modules have one.
    if (responses.size === 0 && (needsProvider(route) || needsMore.includes(route.id))) return;
    // At least one principal sent the key after another had received a response.
    expect(sentAfterOthers).toBeGreaterThan(0);
    const stored = await readStoredResponses(profile);
    expect(stored.length).toBeGreaterThan(0);
    expect(stored.filter((body) => body.match(secretPattern))).toEqual([]);
  });
});

test('an Idempotency-Key is rejected after the principal has lost permissions', async () => {
  const profile = await buildMarkedProfile(kit);
  const tokens = new Map([[idToken('workspace'), profile.workspaceId]]);
  const owner = { name: 'owner', kind: 'session', headers: await credentialBuilders.session(kit, profile) } as const;
  const key = uuid();
  const { createInvitation } = routes;
  expect((await send(createInvitation, owner, tokens, key)).statusCode).toBe(201);
  await kit.app
    .forWorkspace(profile.workspaceId)
    .transaction((tx) => tx.updateTable('members').set({ role: 'admin' }).execute());
  const repeated = await send(createInvitation, owner, tokens, key);
  expect([repeated.statusCode, repeated.json().error.code]).toEqual([409, 'idempotency_key_conflict']);
});

test('secrets that are shown once are direct fields of `data`', () => {
  for (const route of Object.values<Route>(routes))
    for (const answer of Object.values(route.answers)) {
      const schema = JSON.stringify(answer.schema.toJSONSchema({ unrepresentable: 'any', io: 'output' }));
      expect(schema.split('In the first answer only').length - 1, route.id).toBe(secretsOf(answer).length);
    }
});
