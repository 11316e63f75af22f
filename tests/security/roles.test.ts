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
 * Access control of every route: each credential type, each role, missing scopes, and another tenant's profile. Access is decided before the
 * body is read, so requests with an invalid body suffice. Ids of other tenants in bodies are tested by the probe in tests/generated.
 */
const { kit, api } = await openTestWithClickHouse();
const declared = Object.values<Route>(routes);
const cases = (wanted: (route: Route) => boolean) => declared.filter(wanted).map((one) => [one.id, one] as const);
let [own, foreign]: MarkedProfile[] = [];
beforeAll(async () => {
  [own, foreign] = [await buildMarkedProfile(kit), await buildMarkedProfile(kit)];
});

/** Sends random ids, except those of `profile`, and an invalid body, so that permitted requests change nothing. */
function send({ method, path }: Route, headers: Record<string, string>, profile?: MarkedProfile) {
  const named = { profileId: profile?.id, workspaceId: profile?.workspaceId } as Record<string, string | undefined>;
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

/** Creates a new credential before the rate limit of the current one is reached. */
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
    const value = made.get(name) ?? make(name);
    made.set(name, value);
    return value;
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

describe('rejects credential types that it does not declare', () => {
  // Public routes need no credential, and a client secret comes in the body.
  const closed = ({ access: { credentials } }: Route) =>
    !credentials.includes('public') && !credentials.includes('client_secret');
  test.each(cases(closed))('%s', async (_, route) => {
    const { credentials, otherwise = 'forbidden' } = route.access;
    const others = Object.entries(probeCredentials).filter(
      ([, { kind }]) => !credentials.includes(kind as CredentialKind),
    );
    for (const [name] of others) {
      const { status, code } = errorOf(await send(route, await credential(name)(), own));
      expect([name, status, code]).toEqual(status === 401 ? [name, 401, 'unauthorized'] : [name, 403, otherwise]);
    }
  });
});

/** Excludes account routes, because signing out would end the session of later cases. */
const ofMembers = ({ access }: Route) => access.credentials.includes('session') && access.grain !== 'account';

/** Routes narrower than their declaration: other roles may only list what they created. */
const narrower: Readonly<Record<string, readonly Role[]>> = { listCreatedByMember: ['owner', 'admin'] };

describe('accepts exactly the declared roles with sufficient scopes', () => {
  test.each(cases(ofMembers))('%s', async (_, route) => {
    const { roles: named = narrower[route.id], scopes } = route.access;
    for (const role of roleNames) {
      const held: readonly string[] = roles[role].scopes;
      const lacks = scopes !== undefined && !scopes.some((all) => all.every((scope) => held.includes(scope)));
      const expected = named && !named.includes(role) ? 'role' : lacks ? 'insufficient_scope' : 'accepted';
      const { code, reason } = errorOf(await send(route, await memberOf(role)(), own));
      const actual =
        reason === 'role'
          ? 'role'
          : code === 'insufficient_scope'
            ? code
            : code === 'forbidden'
              ? `forbidden: ${reason}`
              : 'accepted';
      expect([role, actual]).toEqual([role, expected]);
    }
  });
});

describe('returns the same error for another tenant’s profile as for a nonexistent one', () => {
  test.each(cases(ofMembers))('%s', async (_, route) => {
    const nonexistent = { id: uuid(), workspaceId: uuid() } as MarkedProfile;
    for (const role of ['owner', 'viewer'] as const) {
      const sendTo = async (profile: MarkedProfile) => {
        const headers = { ...(await memberOf(role)()), 'x-profile-id': profile.id };
        const { status, code, message } = errorOf(await send(route, headers, profile));
        return { status, code, message };
      };
      const [theirs, none] = [await sendTo(foreign as MarkedProfile), await sendTo(nonexistent)];
      expect([role, theirs]).toEqual([role, none]);
      // A 2xx or 400 would mean that access was granted.
      expect([role, [403, 404].includes(theirs.status)]).toEqual([role, true]);
    }
  });
});

describe('returns 403 insufficient_scope for a key with every scope except the required ones', () => {
  const keyWithout = once((needed) => {
    const scopes = Scope.options.filter((scope) => !needed.split(',').includes(scope));
    return buildApiKey(kit.app, own?.id ?? '', { scopes, requestsPerMinute: 600_000 });
  });
  test.each(cases(({ access }) => access.scopes !== undefined && access.credentials.includes('api_key')))(
    '%s',
    async (_, route) => {
      const needed = [...new Set(route.access.scopes?.flat())].toSorted().join(',');
      const { headers } = await keyWithout(needed);
      expect(errorOf(await send(route, { ...headers }, own))).toMatchObject({
        status: 403,
        code: 'insufficient_scope',
      });
    },
  );
});
