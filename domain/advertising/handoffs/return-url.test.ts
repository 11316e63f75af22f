import { expect, test } from 'vitest';
import { bounceUrl, mayReturnTo, returnOrigins } from './return-url.ts';

const app = {
  redirectUris: ['https://app.example.com/callback', 'http://localhost:3000/cb', 'myapp://callback', 'nonsense'],
  allowedReturnOrigins: ['https://partner.example', '-http://localhost:3000'],
};

test('origins come from redirect URIs, with registered additions and removals [hand-072]', () => {
  expect([...returnOrigins(app)]).toEqual(['https://app.example.com', 'https://partner.example']);
  expect([...returnOrigins({ redirectUris: [], allowedReturnOrigins: [] })]).toEqual([]);
});

test.each([
  ['https://app.example.com/done?x=1#part', true],
  ['https://APP.example.com:443/', true],
  ['https://partner.example/anywhere', true],
  ['http://app.example.com/', false],
  ['https://app.example.com:8443/', false],
  ['http://localhost:3000/cb', false],
  ['https://app.example.com.evil.test/', false],
  ['https://evil.test/https://app.example.com', false],
  ['https://app.example.com@evil.test/', false],
  ['https://user@app.example.com/', false],
  ['https://:secret@app.example.com/', false],
  ['https://app.example.com\\@evil.test/', true], // Browsers end the host at the backslash, and so does this check.
  ['https://evil.test\\@app.example.com/', false],
  ['https:evil.test', false],
  ['//app.example.com/', false],
  ['/done', false],
  ['javascript:alert(1)//https://app.example.com', false],
  ['myapp://callback', false],
  ['data:text/html,https://app.example.com', false],
  ['blob:https://app.example.com/1', false],
  ['', false],
])('%s may be returned to: %s', (url, allowed) => {
  expect(mayReturnTo(url, app)).toBe(allowed);
});

test("the caller's query and fragment stay, and the outcome is appended [hand-086]", () => {
  const bounce = { provider: 'crm_a', profileId: 'p', handoffId: 'h', status: 'success' } as const;
  const outcomeQuery = 'connect=crm_a&provider=crm_a&status=success&profile_id=p&handoff_id=h';
  expect(bounceUrl('https://a.test/x', bounce)).toBe(`https://a.test/x?${outcomeQuery}`);
  expect(bounceUrl('https://a.test/x?a=%20b&status=mine#here', bounce)).toBe(
    `https://a.test/x?a=%20b&status=mine&${outcomeQuery}#here`,
  );
  expect(bounceUrl('https://a.test/', { ...bounce, status: 'failed', reason: 'no_candidates' })).toContain(
    'status=failed&profile_id=p&handoff_id=h&reason=no_candidates',
  );
  expect(bounceUrl('https://a.test/', { ...bounce, status: 'pending_selection', candidateCount: 3 })).toMatch(
    /&candidate_count=3$/,
  );
});
