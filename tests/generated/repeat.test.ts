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

/** Every name of DNS is this address: a public one, to which nothing is sent here. */
const resolver = { resolve4: async () => ['93.184.216.34'], resolve6: async () => [] };
const { kit, api } = await openTestWithClickHouse({
  webhookTargets: createOutbound({ timeoutMs: 1_000, resolver }),
});

const keyed = Object.values<Route>(routes).filter(
  ({ idempotency }) => idempotency === 'accepted' || idempotency === 'required',
);
const asksOutside = ({ refusals = [] }: Route) =>
  refusals.includes('provider_error') ||
  refusals.includes('not_implemented') ||
  refusals.includes('connection_not_ready');
/**
 * A test by regions wants purchases in many of them, and days that are over; a report by e-mail a mail server, and somebody who gets it: the
 * rooms' own tests have them.
 */
const wantsMore: readonly string[] = [
  'createExperiment',
  'stopExperiment',
  'createReportMail',
  'leaveReportMail',
  'sendReportMail',
];
const secretPattern = /trib_[a-z]+_[0-9A-Za-z]{38}/g;

/** Somebody who may all that its kind may on the profile; an app of the second round is another app with the same grant. */
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

async function ask(route: Route, principal: Principal, tokens: ReadonlyMap<string, string>, key: string) {
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

/** All that is kept of answers, opened: behind the wall of the profile, of its workspace and of the app alone. */
async function readKept({ id, workspaceId, appId }: MarkedProfile): Promise<string[]> {
  const walls = [{ profileId: id }, { workspaceId }, { appId }];
  const rows = await Promise.all(
    walls.map((wall) =>
      kit.app.withScope(wall).transaction((tx) => tx.selectFrom('idempotent_answers').selectAll().execute()),
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

describe('under one Idempotency-Key nobody is given what somebody else of the same profile was answered', () => {
  test.each(keyed.map((route) => [route.id, route] as const))('%s', async (_, route) => {
    const kinds = credentialsFor(route.access.credentials).good as ProbeCredential[];
    const profile = await buildMarkedProfile(kit);
    const tokens = await tokensOf(route, profile);
    const principals = await buildPrincipals(profile, kinds);
    const key = uuid();
    const said = new Map<string, string>();
    let askedAfter = 0;
    for (const principal of principals) {
      askedAfter += Math.sign(said.size);
      const first = await ask(route, principal, tokens, key);
      expect(first.isReplay, `${principal.name} was given an answer of ${[...said.keys()]}`).toBe(false);
      const foreign = [...said.values()].flatMap((body) => body.match(secretPattern) ?? []);
      for (const secret of foreign) expect(first.body).not.toContain(secret);
      if (first.statusCode >= 300) continue;
      said.set(principal.name, first.body);

      const again = await ask(route, principal, tokens, key);
      expect([again.statusCode, again.isReplay], principal.name).toEqual([first.statusCode, true]);
      const secrets = secretsOf(route.answers[first.statusCode] as never);
      const { data, meta } = first.json();
      const left = Object.fromEntries(Object.entries(data).filter(([name]) => !secrets.includes(name)));
      expect(again.json().data).toEqual(left);
      expect(again.json().meta).toEqual(secrets.length > 0 ? { ...meta, left_out: secrets } : meta);
      expect(again.body.match(secretPattern)).toBeNull();
    }
    // Without an outside company nobody is answered here; the rooms' own tests have one.
    if (said.size === 0 && (asksOutside(route) || wantsMore.includes(route.id))) return;
    // Somebody was answered before somebody else asked, who could have been given it.
    expect(askedAfter).toBeGreaterThan(0);
    const kept = await readKept(profile);
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.filter((body) => body.match(secretPattern))).toEqual([]);
  });
});

test('nor does anybody find their own answer again once they may do less', async () => {
  const profile = await buildMarkedProfile(kit);
  const tokens = new Map([[idToken('workspace'), profile.workspaceId]]);
  const owner = { name: 'owner', kind: 'session', headers: await credentialBuilders.session(kit, profile) } as const;
  const key = uuid();
  const { createInvitation } = routes;
  expect((await ask(createInvitation, owner, tokens, key)).statusCode).toBe(201);
  await kit.app
    .forWorkspace(profile.workspaceId)
    .transaction((tx) => tx.updateTable('members').set({ role: 'admin' }).execute());
  const again = await ask(createInvitation, owner, tokens, key);
  expect([again.statusCode, again.json().error.code]).toEqual([409, 'idempotency_key_conflict']);
});

test('what is shown once is a field of `data` of an answer, nowhere deeper', () => {
  for (const route of Object.values<Route>(routes))
    for (const answer of Object.values(route.answers)) {
      const schema = JSON.stringify(answer.schema.toJSONSchema({ unrepresentable: 'any', io: 'output' }));
      expect(schema.split('In the first answer only').length - 1, route.id).toBe(secretsOf(answer).length);
    }
});
