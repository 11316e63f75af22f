import { describe, expect, test } from 'vitest';
import { advisoriesIn, signaturesIn } from './registry.ts';
import { failedIn, missingOf } from './regressions.ts';
import { secretsIn } from './secrets.ts';

describe('the secret scan', () => {
  // Split, so that this file contains no secret.
  test.each([
    [
      'a private key',
      ['-----BEGIN RSA PRIVATE', ` KEY-----\n${'MIIEpAIBAAKCAQEA'.repeat(8)}\n-----END RSA PRIVATE KEY-----`],
    ],
    ['a cloud provider key', ['aws_secret_access_', 'key = wJalrXUtnFEMIK7MDENGbPxRfiCYzzzzKEY12345']],
    ['a GitHub token', ['ghp', '_0123456789abcdefghijABCDEFGHIJ012345']],
    ['a payment provider key', ['sk_li', 've_51H8abcdEFGHijklMNOPqrst']],
    ['a database URL with a password', ['postgres://shop:', 'h4rd2gue55@db.shop.io:5432/shop']],
  ])('finds %s without printing it', async (_what, parts) => {
    const [finding = '', ...others] = await secretsIn('a.ts', `const it = "${parts.join('')}";`);
    expect(others).toEqual([]);
    expect(finding).toMatch(/^a\.ts:1: \w+$/);
  });

  test.each(['postgres://a:b@127.0.0.1:5432/c', 'https://a:b@shop.example.com/', 'postgres://a:b@one:1,two:2/c'])(
    'ignores %s, which has a test host',
    async (text) => expect(await secretsIn('a.ts', text)).toEqual([]),
  );
});

describe('registry checks', () => {
  test('reports a check without package metadata as not run, with the reason', () => {
    const offline = JSON.stringify({ message: 'request failed, reason: ENOTFOUND', error: { summary: '' } });
    expect(advisoriesIn({ out: offline, error: '' })).toEqual({
      ran: false,
      reason: 'request failed, reason: ENOTFOUND',
    });
    expect(advisoriesIn({ out: '{"vulnerabilities":{}}', error: '' })).toMatchObject({ ran: false });
    const refused = 'npm warn audit 405 Method Not Allowed - POST https://registry.test';
    expect(signaturesIn({ out: '', error: `npm warn\n${refused}` })).toEqual({ ran: false, reason: refused });
    expect(signaturesIn({ out: '', error: '' })).toEqual({ ran: false, reason: 'npm printed no result' });
  });

  test('reports advisories of moderate severity or higher and packages without a valid signature', () => {
    const vulnerabilities = {
      a: { name: 'a', severity: 'high', range: '<2' },
      b: { name: 'b', severity: 'low', range: '<2' },
    };
    const out = JSON.stringify({ vulnerabilities, metadata: {} });
    expect(advisoriesIn({ out, error: '' })).toEqual({ ran: true, faults: ['a <2: high'] });
    const signatures = { invalid: [{ name: 'a', version: '1' }], missing: [{ name: 'b', version: '2' }] };
    expect(signaturesIn({ out: JSON.stringify(signatures), error: '' })).toEqual({
      ran: true,
      faults: ['a 1: signature or attestation is invalid', 'b 2: is not signed'],
    });
  });
});

describe('an attack regression', () => {
  const tests = ['a/b.test.ts > with %s it is refused'] as const;
  const named = [{ request: 'GET /a', tests, drills: ['no-such'] }];
  const report = (...statuses: string[]) => ({
    testResults: [
      {
        name: '/project/a/b.test.ts',
        status: 'passed',
        message: '',
        assertionResults: statuses.map((status, at) => ({
          fullName: `a group with ${at} it is refused`,
          status,
          failureMessages: [],
        })),
      },
    ],
  });

  test('requires its test and its drill to exist', () => {
    const call = { file: 'a/b.test.ts', title: 'with %s it is refused', callee: ['test'], options: [] };
    expect(missingOf(import.meta.dirname, [call], named)).toEqual(['GET /a: there is no drill no-such']);
    expect(missingOf(import.meta.dirname, [], named)[0]).toBe(`GET /a: there is no test ${tests[0]}`);
  });

  test('passes if every row of its test passed', () => {
    expect(failedIn(report('passed', 'passed'), named)).toEqual([]);
    for (const run of [report('passed', 'failed'), report('skipped'), report()])
      expect(failedIn(run, named)).toEqual([`GET /a: not passed: ${tests[0]}`]);
  });
});
