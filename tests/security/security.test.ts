import { describe, expect, test } from 'vitest';
import { advisoriesIn, signaturesIn } from './registry.ts';
import { missingOf, unshownBy } from './regressions.ts';
import { secretsIn } from './secrets.ts';

describe('the search for secrets', () => {
  // In parts, so that this file has none.
  test.each([
    [
      'a private key',
      ['-----BEGIN RSA PRIVATE', ` KEY-----\n${'MIIEpAIBAAKCAQEA'.repeat(8)}\n-----END RSA PRIVATE KEY-----`],
    ],
    ['a key of a cloud', ['aws_secret_access_', 'key = wJalrXUtnFEMIK7MDENGbPxRfiCYzzzzKEY12345']],
    ['a token of a forge', ['ghp', '_0123456789abcdefghijABCDEFGHIJ012345']],
    ['a token of a payment provider', ['sk_li', 've_51H8abcdEFGHijklMNOPqrst']],
    ['a database with its password', ['postgres://shop:', 'h4rd2gue55@db.shop.io:5432/shop']],
  ])('finds %s and does not show it', async (_what, parts) => {
    const [found = '', ...others] = await secretsIn('a.ts', `const it = "${parts.join('')}";`);
    expect(others).toEqual([]);
    expect(found).toMatch(/^a\.ts:1: \w+$/);
  });

  test.each(['postgres://a:b@127.0.0.1:5432/c', 'https://a:b@shop.example.com/', 'postgres://a:b@one:1,two:2/c'])(
    'leaves %s alone, which leads nowhere',
    async (text) => expect(await secretsIn('a.ts', text)).toEqual([]),
  );
});

describe('a check of the registry', () => {
  test('that printed no count of packages did not run, and says why', () => {
    const offline = JSON.stringify({ message: 'request failed, reason: ENOTFOUND', error: { summary: '' } });
    expect(advisoriesIn({ out: offline, error: '' })).toEqual({
      ran: false,
      why: 'request failed, reason: ENOTFOUND',
    });
    expect(advisoriesIn({ out: '{"vulnerabilities":{}}', error: '' })).toMatchObject({ ran: false });
    const refused = 'npm warn audit 405 Method Not Allowed - POST https://registry.test';
    expect(signaturesIn({ out: '', error: `npm warn\n${refused}` })).toEqual({ ran: false, why: refused });
    expect(signaturesIn({ out: '', error: '' })).toEqual({ ran: false, why: 'npm printed no result' });
  });

  test('tells of advisories from moderate on, and of packages without a valid signature', () => {
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

describe('a request that did harm once', () => {
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

  test('must have its test and its drill', () => {
    const call = { file: 'a/b.test.ts', title: 'with %s it is refused', callee: ['test'], options: [] };
    expect(missingOf(import.meta.dirname, [call], named)).toEqual(['GET /a: there is no drill no-such']);
    expect(missingOf(import.meta.dirname, [], named)[0]).toBe(`GET /a: there is no test ${tests[0]}`);
  });

  test('is shown when each row of its test passed', () => {
    expect(unshownBy(report('passed', 'passed'), named)).toEqual([]);
    for (const run of [report('passed', 'failed'), report('skipped'), report()])
      expect(unshownBy(run, named)).toEqual([`GET /a: not shown by ${tests[0]}`]);
  });
});
