import { randomInt } from 'node:crypto';
import { type CredentialKind, type Route, routes, Scope } from '@tributary/contract';
import {
  buildApiKey,
  buildMarkedProfile,
  buildMember,
  credentialBuilders,
  type MarkedProfile,
  openTestWithClickHouse,
  type ProbeCredential,
  probeCredentials,
} from '@tributary/testkit';
import { limits, type Role, roleNames, roles } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { beforeAll, describe, expect, test } from 'vitest';

/**
 * Who may call is decided before a body is read, so that requests without one show it for every route: with each kind of credential, as each
 * role, with every scope but the needed ones, and in the place of somebody else. Ids of somebody else are the probe's (tests/generated).
 */
const { kit, api } = await openTestWithClickHouse();
const declared = Object.values<Route>(routes);
const cases = (wanted: (route: Route) => boolean) => declared.filter(wanted).map((one) => [one.id, one] as const);
let [own, foreign]: MarkedProfile[] = [];
beforeAll(async () => {
  [own, foreign] = [await buildMarkedProfile(kit), await buildMarkedProfile(kit)];
});

/** Ids of nothing, but for the place itself. Whoever may call gets no further than a body that is no JSON. */
function ask({ method, path }: Route, headers: Record<string, string>, place?: MarkedProfile) {
  const named = { profileId: place?.id, workspaceId: place?.workspaceId } as Record<string, string | undefined>;
  const url = path.replace(/\{(\w+)\}/g, (_, name: string) => named[name] ?? uuid());
  const remoteAddress = `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`;
  const broken = method !== 'GET' && { payload: '{' };
  return api.fastify.inject({
    method,
    url,
    headers: { ...headers, ...(broken && { 'content-type': 'application/json' }) },
    remoteAddress,
    ...broken,
  });
}
const errorOf = ({ body, statusCode }: { body: string; statusCode: number }) => {
  const { error } = statusCode < 400 || body === '' ? { error: {} } : JSON.parse(body);
  return { status: statusCode, ...(error as { code?: string; reason?: string; message?: string }) };
};

/** A credential that is made anew before its limit of requests is reached. */
function renewed(make: () => Promise<Record<string, string>>) {
  let uses = 0;
  let headers = make();
  return () => {
    if (uses++ % (limits.ratePerMinute.member - 1) === 0) headers = make();
    return headers;
  };
}
function once<Value>(make: (name: string) => Value) {
  const made = new Map<string, Value>();
  return (name: string) => {
    const known = made.get(name) ?? make(name);
    made.set(name, known);
    return known;
  };
}

const memberOf = once((role) =>
  renewed(async () => {
    const member = await buildMember(kit.app, own?.workspaceId ?? '', role as keyof typeof roles);
    return member.headers({ profileId: own?.id ?? '' });
  }),
);
const credential = once((name) =>
  renewed(() => credentialBuilders[name as ProbeCredential](kit, own as MarkedProfile)),
);

describe('takes no kind of credential that it does not name', () => {
  // Others come in without one, or look for it in the body.
  const closed = ({ access: { credentials } }: Route) =>
    !credentials.includes('public') && !credentials.includes('client_secret');
  test.each(cases(closed))('%s', async (_, route) => {
    const { credentials, otherwise = 'forbidden' } = route.access;
    const others = Object.entries(probeCredentials).filter(
      ([, { kind }]) => !credentials.includes(kind as CredentialKind),
    );
    for (const [name] of others) {
      const { status, code } = errorOf(await ask(route, await credential(name)(), own));
      expect([name, status, code]).toEqual(status === 401 ? [name, 401, 'unauthorized'] : [name, 403, otherwise]);
    }
  });
});

/** Whoever signs out ends the session of all that follow. */
const ofMembers = ({ access }: Route) => access.credentials.includes('session') && access.grain !== 'account';

/** Narrower than their declaration: whoever is neither owner nor admin reads what they created themselves. */
const narrower: Readonly<Record<string, readonly Role[]>> = { listCreatedByMember: ['owner', 'admin'] };

describe('takes the roles that it names, whose scopes are enough', () => {
  test.each(cases(ofMembers))('%s', async (_, route) => {
    const { roles: named = narrower[route.id], scopes } = route.access;
    for (const role of roleNames) {
      const held: readonly string[] = roles[role].scopes;
      const lacks = scopes !== undefined && !scopes.some((all) => all.every((scope) => held.includes(scope)));
      const expected = named && !named.includes(role) ? 'role' : lacks ? 'insufficient_scope' : 'taken';
      const { code, reason } = errorOf(await ask(route, await memberOf(role)(), own));
      const answered =
        reason === 'role'
          ? 'role'
          : code === 'insufficient_scope'
            ? code
            : code === 'forbidden'
              ? `forbidden: ${reason}`
              : 'taken';
      expect([role, answered]).toEqual([role, expected]);
    }
  });
});

describe('answers in the place of somebody else as in one that never was', () => {
  test.each(cases(ofMembers))('%s', async (_, route) => {
    const nowhere = { id: uuid(), workspaceId: uuid() } as MarkedProfile;
    for (const role of ['owner', 'viewer'] as const) {
      const at = async (place: MarkedProfile) => {
        const headers = { ...(await memberOf(role)()), 'x-profile-id': place.id };
        const { status, code, message } = errorOf(await ask(route, headers, place));
        return { status, code, message };
      };
      const [theirs, none] = [await at(foreign as MarkedProfile), await at(nowhere)];
      expect([role, theirs]).toEqual([role, none]);
      // Creating takes a scope and no place.
      expect([role, [403, 404].includes(theirs.status)]).toEqual([role, true]);
    }
  });
});

describe('is refused to a key that has every scope but the needed ones', () => {
  const keyWithout = once((needed) => {
    const scopes = Scope.options.filter((scope) => !needed.split(',').includes(scope));
    return buildApiKey(kit.app, own?.id ?? '', { scopes, requestsPerMinute: 600_000 });
  });
  test.each(cases(({ access }) => access.scopes !== undefined && access.credentials.includes('api_key')))(
    '%s',
    async (_, route) => {
      const needed = [...new Set(route.access.scopes?.flat())].toSorted().join(',');
      const { headers } = await keyWithout(needed);
      expect(errorOf(await ask(route, { ...headers }, own))).toMatchObject({ status: 403, code: 'insufficient_scope' });
    },
  );
});
