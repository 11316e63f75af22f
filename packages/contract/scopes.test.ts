import { mcpScopes, oauthScopes, personScopes, roles, scopes } from '@tributary/vocabulary';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { McpScope, OAuthScope, Scope, scopesOfGrant, scopesOfMcpToken } from './scopes.ts';

describe('scopes', () => {
  test('[auth-012] [auth-013] each scope of the specification is a scope or a grant, not both', () => {
    const named = [
      ...[
        'customers:read',
        'visitors:read',
        'attribution:write',
        'conversions:read',
        'campaigns:read',
        'campaigns:apply',
      ],
      ...['connections:read', 'connections:write', 'exports:read', 'exports:write', 'analytics:read', 'analytics_pii'],
      ...[
        'goals:write',
        'creatives:write',
        'commerce:read',
        'workspaces:write',
        'profiles:write',
        'mcp:read',
        'mcp:write',
      ],
    ];
    const homes = [...Scope.options, ...OAuthScope.options, ...McpScope.options] as string[];
    expect(named.map((name) => homes.filter((home) => home === name).length)).toEqual(named.map(() => 1));
    expect(Scope.options.filter((scope) => !named.includes(scope))).toEqual([]);
  });

  test('two scopes disclose customers', () => {
    expect(personScopes).toEqual(['customers:read', 'visitors:read']);
  });

  test('a route cannot require a scope that is only granted', () => {
    expectTypeOf<'analytics_pii'>().not.toExtend<Scope>();
    expectTypeOf<'mcp:write'>().not.toExtend<Scope>();
    expect(Scope.options).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(analytics_pii|mcp:write)$/)]));
  });

  test('each scope has a description', () => {
    for (const { description } of Object.values(scopes)) expect(description).toMatch(/^[A-Z].{8,}\.$/);
  });
});

describe('grants', () => {
  const worth = (granted: OAuthScope[], swapWindowOpen = false) => [...scopesOfGrant(granted, swapWindowOpen)].sort();
  const analytics = ['analytics:read', 'campaigns:read', 'commerce:read', 'conversions:read', 'exports:read'];

  test.each<[OAuthScope, string[]]>([
    ['analytics', analytics],
    ['analytics_pii', [...analytics, 'customers:read', 'visitors:read'].sort()],
    ['attribution_write', ['attribution:write', 'goals:write']],
    ['connections', ['connections:read', 'connections:write']],
    ['campaigns_apply', ['campaigns:apply', 'creatives:write']],
    ['exports', ['exports:read', 'exports:write']],
  ])('%s', (granted, expected) => {
    expect(worth([granted])).toEqual(expected);
  });

  test('scopes of several grants are united', () => {
    expect(worth(['analytics', 'exports'])).toEqual([...analytics, 'exports:write'].sort());
  });

  test('attribution_write includes the connections scopes while the swap window is open; no other grant changes', () => {
    expect(worth(['attribution_write'], true)).toEqual([
      'attribution:write',
      'connections:read',
      'connections:write',
      'goals:write',
    ]);
    for (const name of OAuthScope.options.filter((option) => option !== 'attribution_write')) {
      expect(worth([name], true)).toEqual(worth([name], false));
    }
  });

  test('only analytics_pii discloses customers', () => {
    const showPeople = OAuthScope.options.filter((name) =>
      worth([name], true).some((scope) => personScopes.includes(scope)),
    );
    expect(showPeople).toEqual(['analytics_pii']);
    expect(Object.keys(oauthScopes)).toHaveLength(6);
  });
});

describe('assistants', () => {
  test('mcp:write may create workspaces and profiles, the default mcp:read may not, and neither discloses customers', () => {
    expect([...scopesOfMcpToken(['mcp:write'])].sort()).toEqual(['profiles:write', 'workspaces:write']);
    const read = scopesOfMcpToken(['mcp:read']);
    expect(['workspaces:write', 'profiles:write', ...personScopes].filter((scope) => read.has(scope as Scope))).toEqual(
      [],
    );
    expect(Object.values(mcpScopes[McpScope.enum['mcp:read']].scopes).every((scope) => scope.endsWith(':read'))).toBe(
      true,
    );
  });
});

describe('roles', () => {
  test('each role includes the scopes of the one below', () => {
    const ladder = [roles.viewer, roles.analyst, roles.admin, roles.owner].map((role): readonly Scope[] => role.scopes);
    for (const [index, lower] of ladder.slice(0, -1).entries()) {
      expect(lower.filter((scope) => !ladder[index + 1]?.includes(scope))).toEqual([]);
    }
  });

  test('a viewer sees no customers and changes nothing', () => {
    expect(roles.viewer.scopes.filter((scope) => !scope.endsWith(':read'))).toEqual([]);
    expect(personScopes.filter((scope) => (roles.viewer.scopes as readonly Scope[]).includes(scope))).toEqual([]);
  });

  test('only owners and admins administer the workspace, change live ads or configure exports', () => {
    for (const scope of [
      'workspaces:write',
      'profiles:write',
      'campaigns:apply',
      'exports:write',
      'connections:write',
    ] as const) {
      expect(
        Object.entries(roles)
          .filter(([, role]) => (role.scopes as readonly Scope[]).includes(scope))
          .map(([name]) => name),
      ).toEqual(['owner', 'admin']);
    }
  });
});
