import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openBrowser, openFlow, openShop, returnUrl, type Shop } from './handoffs.fixture.ts';
import { expireHandoffs } from './module.ts';
import { type Choice, decideChoice } from './selection.ts';

const { kit, api, company } = await openFlow();

/** Completes a consent that shares these accounts. Resolves to the hand-off as returned by a read. */
async function consent(shop: Shop, ...accounts: readonly string[]) {
  const { data } = await shop.mint('social_ads', { return_url: returnUrl });
  const browser = openBrowser(api);
  const { to = '' } = await browser.open(data.start_url);
  await browser.open(company.approve(to, ...accounts));
  return shop.read(data.id);
}
const path = '/api/v1/connections/pending/social_ads';
const finalize = (shop: Shop, candidate_id: string, headers?: object) =>
  shop.call('POST', `${path}/finalize`, { candidate_id }, headers);
const code = ({ status, error }: { status: number; error?: { code: string; reason?: string } }) => [
  status,
  error?.code,
  error?.reason,
];
const parked = async (shop: Shop) =>
  (await kit.app.forProfile(shop.id).transaction((tx) => tx.selectFrom('pending_selections').selectAll().execute()))[0];

const now = new Date('2026-03-01T12:00:00Z');
const [past, future] = [new Date(now.getTime()), new Date(now.getTime() + 1)];
test.each<[string, Parameters<typeof decideChoice>[0], string | undefined, Choice]>([
  ['nothing pending', undefined, 'a', 'nothing'],
  ['open', { expiresAt: future, candidateId: null, isConnected: false }, 'a', 'choose'],
  ['open, read', { expiresAt: future, candidateId: null, isConnected: false }, undefined, 'choose'],
  ['lapsed', { expiresAt: past, candidateId: null, isConnected: false }, 'a', 'lapsed'],
  ['selected, the same again', { expiresAt: future, candidateId: 'a', isConnected: true }, 'a', 'same'],
  ['selected long ago, the same again', { expiresAt: past, candidateId: 'a', isConnected: true }, 'a', 'same'],
  ['selected, another one', { expiresAt: future, candidateId: 'a', isConnected: true }, 'b', 'other'],
  ['selected, read', { expiresAt: future, candidateId: 'a', isConnected: true }, undefined, 'nothing'],
  ['selected and disconnected', { expiresAt: future, candidateId: 'a', isConnected: false }, 'a', 'nothing'],
])('%s', (_, selection, candidateId, choice) => {
  expect(decideChoice(selection, candidateId, now)).toBe(choice);
});

test('each candidate has an id and a name [hand-061] [hand-062] [hand-088]', async () => {
  const shop = await openShop(kit, api);
  expect(code(await shop.call('GET', path))).toEqual([404, 'not_found', undefined]);
  const handoff = await consent(shop, 'list-1', 'unnamed-2');
  expect(handoff.result).toEqual({
    provider: 'social_ads',
    pending_selection: { candidate_count: 2, expires_at: expect.any(String) },
  });
  const { status, data, meta } = await shop.call('GET', path);
  expect(status).toBe(200);
  expect(data).toEqual([
    { id: 'list-1', name: 'Account list-1' },
    { id: 'unnamed-2', name: 'unnamed-2' },
  ]);
  expect(meta).toEqual({
    profile_id: shop.id,
    handoff_id: handoff.id,
    expires_at: handoff.result.pending_selection.expires_at,
  });
  expect((await shop.call('GET', '/api/v1/connections/pending/store')).status).toBe(400);
  const stranger = await openShop(kit, api);
  expect((await stranger.call('GET', path)).status).toBe(404);
});

test('selecting a candidate connects it, and repeating it changes nothing [hand-054] [hand-055] [hand-063] [hand-064]', async () => {
  const shop = await openShop(kit, api);
  await consent(shop, 'fin-1', 'fin-2');
  const first = await finalize(shop, 'fin-2');
  expect(first).toMatchObject({
    status: 200,
    data: { provider: 'social_ads', candidate_id: 'fin-2', already_finalized: false },
  });
  const { connection_id } = first.data;
  const { data: connection } = await shop.call('GET', `/api/v1/connections/${connection_id}`);
  expect(connection).toMatchObject({ status: 'connected', account: { external_id: 'fin-2', name: 'Account fin-2' } });
  expect(await parked(shop)).toMatchObject({ parked: null, parked_until: null, connection_id });
  const again = await finalize(shop, 'fin-2');
  expect([again.status, again.data]).toEqual([200, { ...first.data, already_finalized: true }]);
  kit.clock.advance(61 * 60_000);
  expect((await finalize(shop, 'fin-2')).data.already_finalized).toBe(true);
  const { rows } = await kit.owner.unbound.query(
    sql<{
      n: string;
    }>`SELECT count(*) AS n FROM audit_log WHERE target = ${`connection:${connection_id}`} AND action = 'connection.finalized'`,
  );
  expect(Number(rows[0]?.n)).toBe(1);
  expect((await shop.call('GET', path)).status).toBe(404);
});

test('a connection has the permissions and details of its account, with and without a selection', async () => {
  const shop = await openShop(kit, api);
  await consent(shop, 'alone-1');
  await consent(shop, 'facts-1', 'facts-2');
  await finalize(shop, 'facts-2');
  const { data } = await shop.call('GET', '/api/v1/connections');
  expect(data).toHaveLength(2);
  for (const { granted } of data) expect(granted).toEqual(['read', 'write']);
  const stored = await kit.app
    .forProfile(shop.id)
    .transaction((tx) =>
      tx.selectFrom('connections').select(['external_id', 'details']).orderBy('external_id').execute(),
    );
  expect(stored).toEqual([
    { external_id: 'alone-1', details: { region: 'Region of alone-1' } },
    { external_id: 'facts-2', details: { region: 'Region of facts-2' } },
  ]);
});

test('selecting another candidate afterwards is refused [hand-056]', async () => {
  const shop = await openShop(kit, api);
  await consent(shop, 'switch-1', 'switch-2');
  await finalize(shop, 'switch-1');
  expect(code(await finalize(shop, 'switch-2'))).toEqual([409, 'invalid_state', 'already_finalized']);
  const { data } = await shop.call('GET', '/api/v1/connections');
  expect(data).toHaveLength(1);
  await consent(shop, 'switch-1', 'switch-2');
  expect((await finalize(shop, 'switch-2')).data).toMatchObject({ already_finalized: false });
});

test('one of two concurrent selections counts', async () => {
  const shop = await openShop(kit, api);
  await consent(shop, 'race-1', 'race-2');
  const both = await Promise.all([finalize(shop, 'race-1'), finalize(shop, 'race-2')]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect((await shop.call('GET', '/api/v1/connections')).data).toHaveLength(1);
});

test('an account of another profile is refused, and the selection stays open [hand-057] [hand-058] [err-041]', async () => {
  const holder = await openShop(kit, api);
  await consent(holder, 'sister-1');
  const shop = await openShop(kit, api, { workspaceId: holder.workspaceId });
  await consent(shop, 'sister-1', 'sister-2');
  expect(code(await finalize(shop, 'sister-1'))).toEqual([409, 'account_connected_elsewhere', undefined]);
  expect((await shop.call('GET', '/api/v1/connections')).data).toEqual([]);
  expect((await parked(shop))?.parked).not.toBeNull();
  expect((await finalize(shop, 'sister-2')).status).toBe(200);
});

test('after 60 minutes a selection is refused, and the token is deleted [hand-050] [lim-020]', async () => {
  const shop = await openShop(kit, api);
  expect(code(await finalize(shop, 'late-1'))).toEqual([404, 'not_found', undefined]);
  await consent(shop, 'late-1', 'late-2');
  kit.clock.advance(60 * 60_000 - 1);
  expect((await shop.call('GET', path)).status).toBe(200);
  kit.clock.advance(1);
  const lapsed = [409, 'invalid_state', 'selection_expired'];
  expect(code(await finalize(shop, 'late-1'))).toEqual(lapsed);
  expect(code(await shop.call('GET', path))).toEqual(lapsed);
  expect((await parked(shop))?.parked).not.toBeNull();
  const swept = await expireHandoffs(kit.system, kit.clock.now(), AbortSignal.timeout(5_000));
  expect(swept.unparked).toBeGreaterThanOrEqual(1);
  expect(await parked(shop)).toMatchObject({ parked: null, parked_until: null });
  expect(code(await finalize(shop, 'late-1'))).toEqual(lapsed);
  expect((await shop.call('GET', '/api/v1/connections')).data).toEqual([]);
});

test('accepts only listed candidates, and only from permitted callers', async () => {
  const shop = await openShop(kit, api);
  await consent(shop, 'only-1', 'only-2');
  for (const wrong of ['only', 'ONLY-1', 'only-1 ']) {
    const { status, error } = await finalize(shop, wrong);
    expect([status, error.code]).toEqual([422, 'validation_error']);
  }
  expect((await finalize(shop, '')).status).toBe(422);
  const stranger = await openShop(kit, api);
  expect(code(await finalize(stranger, 'only-1'))).toEqual([404, 'not_found', undefined]);
  // A key of the profile itself may select for its app.
  expect((await finalize(shop, 'only-1', shop.own.headers)).status).toBe(200);
});
