import { expect, test } from 'vitest';
import { readOAuthCallback } from './oauth-token.ts';

test.each([
  [{ code: 'c' }, { code: 'c' }],
  [{ code: 'c', error: 'access_denied' }, { reason: 'user_cancelled' }],
  [{ code: 'c', error: 'invalid_scope' }, { reason: 'provider_denied' }],
  [{ code: 'c', error: 'server_error' }, { reason: 'provider_error' }],
  [{ error: 'unauthorized_client' }, { reason: 'provider_denied' }],
  [{ code: '' }, { reason: 'provider_error' }],
  [{}, { reason: 'provider_error' }],
])('reads the callback %j as %j', (query: Record<string, string>, is) => {
  expect(readOAuthCallback(query)).toEqual(is);
});
