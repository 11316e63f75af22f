import { ErrorCode, errorEntry, type Route, routes } from '@tributary/contract';
import { expect, test } from 'vitest';
import { checks } from '../../apps/cli/conformance/checks.ts';
import { specifiedOperations } from './operations.ts';
import { conformancePage, counts, line, shownRules, tally } from './report.ts';
import { allRules, readRules } from './rules.ts';
import { textsOf, titledCallsOf } from './tests-in-source.ts';
import { claimedRules, titleFaults } from './titles.ts';

const rules = readRules(
  [
    'id\tasks\tstate\tnote',
    'abc-001\tIt works.\twaits\tGET /a',
    'abc-002\tIt works always.\twaits\tGET /b',
    'abc-003\tIt never comes.\treserved\tno such route',
    'abc-004\tIt works later.\twaits\tGET /d',
  ].join('\n'),
);
const report = (...tests: [string, string][]) => ({
  testResults: [{ assertionResults: tests.map(([fullName, status]) => ({ fullName, status })) }],
});
const run = shownRules(
  report(
    ['[abc-001] works', 'passed'],
    ['[abc-002] works', 'passed'],
    ['[abc-002] always', 'failed'],
    ['[abc-003] x', 'passed'],
  ),
);

test('a rule is proven only if all of its tests passed', () => {
  const [result] = tally(rules, run, ['abc']);
  expect(result?.rules.map(({ id, status }) => [id, status])).toEqual([
    ['abc-001', 'proven'],
    ['abc-002', 'waiting'],
    ['abc-003', 'reserved'],
    ['abc-004', 'waiting'],
  ]);
  expect(result && counts(result)).toEqual({ proven: 1, waiting: 2, reserved: 1, 'not testable': 0 });
});

test('the page lists each unproven rule with its sentence and the reason', () => {
  const page = conformancePage(tally(rules, run, ['abc']), { served: 1, total: 3 }, new Set(['abc-001']));
  expect(page).toContain('| abc | 4 | 1 | 1 | 2 | 1 | 0 |');
  expect(page).toContain(
    '\n- abc-002: It works always. Waits for GET /b.\n- abc-003: It never comes. Reserved: no such',
  );
  expect(page).not.toContain('abc-001');
  expect(tally(rules, run, ['abc'])[0]?.rules.map(line)[0]).toBe('abc-001: It works.');
});

const faultsOf = (source: string) => titleFaults(titledCallsOf('a.test.ts', source), rules, new Set(['GET /d']));

test('reports unknown rules, rules of routes that are not served, and more than four rules in a title', () => {
  expect(faultsOf("test('[abc-001] [abc-002] [abc-001] [abc-002] works', () => {}); test('no id at all')")).toEqual([]);
  expect(faultsOf("test('[abc-999] works')")).toEqual(['a.test.ts: there is no rule abc-999: "[abc-999] works"']);
  expect(faultsOf('test(`[abc-004] works`)')).toEqual([
    expect.stringContaining('abc-004 is about GET /d, which is not served'),
  ]);
  expect(faultsOf(`test('${'[abc-001]'.repeat(5)} works')`)).toEqual([expect.stringContaining('5 rules in one title')]);
});

test.each([
  ['a group', "describe('[abc-001] works', () => { test('so', () => {}); })", 'a group proves nothing'],
  ['a group of rows', "describe.each([1])('[abc-001] works', () => {})", 'a group proves nothing'],
  ['a test that must fail', "test.fails('[abc-001] works', () => {})", 'passes when it fails'],
  ['a skipped test', "it.skip('[abc-001] works', () => {})", 'does not run'],
  [
    'a test that runs only on some machines',
    "test.skipIf(!docker)('[abc-001] works', () => {})",
    'does not always run',
  ],
  ['a retried test', "test('[abc-001] works', { retry: 50 }, () => {})", 'may fail before it passes'],
  ['a todo', "test.todo('[abc-001] works')", 'is not written'],
])('%s cannot claim a rule', (_, source, fault) => {
  expect(faultsOf(source)).toEqual([expect.stringContaining(fault)]);
  expect(faultsOf(source.replace('[abc-001] ', ''))).toEqual([]);
});

test('reads claimed rules from test sources, including rows and templates but not comments', () => {
  const source =
    "// [abc-003]\ntest.each([['[abc-001] x']])('%s', () => {}); describe('x', () => it(`[abc-002]`, () => {}))";
  expect([...claimedRules(new Map([['a.test.ts', textsOf('a.test.ts', source)]]))]).toEqual([
    ['abc-001', ['a.test.ts']],
    ['abc-002', ['a.test.ts']],
  ]);
});

test('every rule has a unique sentence of at most 24 words', () => {
  const all = allRules();
  expect(all).toHaveLength(960);
  for (const { id, asks } of all) {
    expect(asks, id).toMatch(/^[`A-Za-z].*[.]$/);
    expect(asks.split(' ').length, id).toBeLessThanOrEqual(24);
  }
  expect(new Set(all.map(({ asks }) => asks)).size).toBe(960);
});

test('every check of `tributary conformance` has a unique title and names existing, unreserved rules', () => {
  const state = new Map(allRules().map((rule) => [rule.id, rule.state]));
  for (const { title, rules } of checks)
    for (const id of rules) expect([title, id, state.get(id)]).toEqual([title, id, 'waits']);
  const titles = checks.map(({ section, title }) => `${section}: ${title}`);
  expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
});

test('throws for an invalid line and for a duplicate rule', () => {
  expect(() => readRules('id\tasks\tstate\tnote\nabc-001\t\twaits\tGET /a')).toThrow(/abc-001/);
  expect(() => readRules('id\tasks\tstate\tnote\nabc-001\tIt works.\tlater\tGET /a')).toThrow(/abc-001/);
  expect(() => readRules('id\tasks\tstate\tnote\nabc-001\tA.\twaits\t\nabc-001\tB.\twaits\t')).toThrow(/twice/);
});

test('[auth-002] [auth-009] every operation of the specification is served under its base path and requires the specified scopes', () => {
  const declared = new Map(Object.values<Route>(routes).map((route) => [`${route.method} ${route.path}`, route]));
  const specified = specifiedOperations();
  expect(specified).toHaveLength(104);
  for (const { name, scopes } of specified) {
    const { access, path } = declared.get(name) ?? expect.unreachable(name);
    expect(path).toMatch(/^\/(api\/v1|oauth)\//);
    // Any one of the scopes is enough. An operation without scopes specifies its credential kinds.
    const required = access.scopes ? access.scopes.map((all) => all.join('+')) : access.credentials;
    expect([name, [...required].sort()]).toEqual([name, [...scopes].sort()]);
  }
  // Our own operations also require a scope or a credential, such as a role, a session or a client secret. These are the exceptions.
  const open = [...declared.values()].filter(({ access }) => !access.scopes && access.credentials.includes('public'));
  expect(open.map(({ id }) => id).sort()).toEqual([
    'acceptInvitation',
    'beginPasskeySignIn',
    'completePasswordReset',
    'completeSignIn',
    'readChangelog',
    'readInvitation',
    'readOpenapi',
    'requestPasswordReset',
    'signIn',
    'signInWithPasskey',
  ]);
});

test('[err-006] each error that concerns one resource has its own code, which its routes declare', () => {
  const shared = [
    ...['unauthorized', 'forbidden', 'insufficient_scope', 'not_found', 'invalid_parameter', 'invalid_request'],
    ...['validation_error', 'invalid_state', 'rate_limit_exceeded', 'provider_error', 'service_unavailable'],
    ...['internal_error', 'not_implemented', 'payload_too_large', 'idempotency_key_conflict'],
    ...['idempotency_key_in_flight', 'entitlement_required', 'api_key_required', 'healthcare_scope_forbidden'],
  ];
  const own = ErrorCode.options.filter((code) => !shared.includes(code) && !errorEntry(code).reserved);
  expect(own.length).toBeGreaterThan(25);
  const declaring = (code: string) =>
    Object.values<Route>(routes).filter(
      ({ refusals = [], refusedAs = {} }) =>
        (refusals as readonly string[]).includes(code) || Object.values(refusedAs).includes(code as never),
    );
  for (const code of own) {
    expect(declaring(code).length, code).toBeGreaterThan(0);
    expect(JSON.stringify(errorEntry(code).fields ?? {}), code).not.toContain('"reason"');
  }
});
