import { expect, test } from 'vitest';
import type { Call } from '../provider.ts';
import { createApi } from './api.ts';

const api = createApi({ apiUrl: 'https://{shop}', apiVersion: '2026-07' });
const account = { externalId: 'a.myshopify.com', credentials: { accessToken: 'token' }, details: {} };

/** The result of the client for a response, or the details of its fault. */
async function read(body: object, status = 200, credentials: object = account.credentials) {
  const call: Call = {
    now: new Date('2026-03-10T12:00:00Z'),
    signal: AbortSignal.timeout(5_000),
    send: async () => ({ status, headers: {}, text: JSON.stringify(body) }),
  };
  return api({ ...account, credentials } as Parameters<typeof api>[0], 'query { shop { id } }', {}, call).catch(
    ({ details }) => details,
  );
}

const cost = (requested: number, available: number, restoreRate = 50) => ({
  extensions: {
    cost: { requestedQueryCost: requested, throttleStatus: { currentlyAvailable: available, restoreRate } },
  },
});

test.each([
  [550, 1_880, undefined],
  [550, 550, undefined],
  [550, 549, 20],
  [550, 50, 10_000],
  [550, 0, 11_000],
])('a query of cost %d with %d points left waits %d ms before the next', async (requested, available, waitMs) => {
  expect(await read({ data: { shop: {} }, ...cost(requested, available) })).toEqual({ data: { shop: {} }, waitMs });
});

test('a throttled query waits until the bucket holds enough points', async () => {
  const errors = [{ message: 'Throttled', extensions: { code: 'THROTTLED' } }];
  expect(await read({ errors, ...cost(550, 50) })).toMatchObject({ verdict: 'wait', retryAfterMs: 10_000 });
  expect(await read({ errors })).toMatchObject({ verdict: 'wait', code: 'THROTTLED' });
});

test.each([
  ['ACCESS_DENIED', 'needs_action'],
  ['MAX_COST_EXCEEDED', 'refused'],
  [undefined, 'refused'],
])('the error %s in a 200 is a fault with verdict %s', async (code, verdict) => {
  expect(await read({ errors: [{ message: 'no', ...(code && { extensions: { code } }) }] })).toMatchObject({ verdict });
});

test.each([
  [401, 'reconnect'],
  [402, 'reconnect'],
  [423, 'reconnect'],
  [429, 'wait'],
  [503, 'wait'],
  [404, 'refused'],
])('status %d is a fault with verdict %s', async (status, verdict) => {
  expect(await read({}, status)).toMatchObject({ verdict });
});

test('a store without a token is not queried', async () => {
  expect(await read({ data: {} }, 200, { accessToken: null })).toMatchObject({ code: 'no_access_token' });
});
