import { spreadDefinition } from '@tributary/domain/commerce/outcomes/module.ts';
import { firstPayments } from '@tributary/domain/commerce/payments/module.ts';
import { buildApiKey, openEventSender, openTest, paymentEvent, processQueue } from '@tributary/testkit';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { expect, test } from 'vitest';

const { kit, api } = await openTest();
kit.clock.set('2026-05-20T12:00:00Z');

async function openShop() {
  const sender = await openEventSender(kit, api);
  const { headers } = await buildApiKey(kit.app, sender.profileId, { scopes: ['goals:write'] });
  const call = async (method: 'GET' | 'DELETE', path: string, by: Record<string, string> = headers) => {
    const answer = await api.call({ method, url: `/api/v1/goals${path}`, headers: by });
    return { status: answer.statusCode, ...answer.json() };
  };
  return {
    ...sender,
    call,
    remove: (id: string) => call('DELETE', `/definitions/${id}`),
    goal: async (body: object) => (await sender.send('/api/v1/goals/definitions', body)).body.data as { id: string },
  };
}

test('returns 200, after which the events of the definition stay recorded but no longer count', async () => {
  const shop = await openShop();
  const abono = await shop.goal({ name: 'Abono', event_names: ['Caja: Abono'], counts_as_cash: true });
  await shop.post({ ...paymentEvent({ key: 'x' }), event_name: 'Caja: Abono' });
  expect(await shop.flags()).toEqual({ x: true });
  const { data } = await shop.remove(abono.id);
  expect(data).toEqual({ id: abono.id, deleted: true });
  const jobs = await kit.owner.unbound.query(
    sql<{ data: { eventKeys: string[] } }>`
      SELECT data FROM pgboss.job WHERE name = 'spread-definition' AND data->>'profileId' = ${shop.profileId}
      ORDER BY created_on DESC LIMIT 1`,
  );
  expect(jobs.rows[0]?.data.eventKeys).toEqual(['caja: abono']);
  const { signal } = new AbortController();
  await spreadDefinition(kit.app, { profileId: shop.profileId, eventKeys: ['caja: abono'] }, signal);
  await processQueue(kit.system, 'firstPayments', firstPayments(kit.app));
  expect(await shop.flags()).toEqual({ x: null });
  expect((await shop.call('GET', '/events')).data).toMatchObject([{ event_name: 'Caja: Abono', definition_id: null }]);
});

test('returns 404 for an unknown definition and for one of another profile, and 409 for the main goal', async () => {
  const [shop, foreignShop] = [await openShop(), await openShop()];
  const foreign = await foreignShop.goal({ name: 'Visit', event_names: ['visit'] });
  for (const id of [uuid(), foreign.id])
    expect(await shop.remove(id)).toMatchObject({ status: 404, error: { code: 'not_found' } });
  const main = (await shop.call('GET', '/definitions')).data.find((one: { is_default: boolean }) => one.is_default);
  expect(await shop.remove(main.id)).toMatchObject({ status: 409, error: { code: 'invalid_state' } });
});

test('returns 409 for the only definition', async () => {
  const shop = await openShop();
  await shop.goal({ name: 'Visit', event_names: ['visit'], is_default: true });
  const { data } = await shop.call('GET', '/definitions');
  const [last, ...others] = data.map(({ id }: { id: string }) => id).toReversed();
  await kit.app
    .forProfile(shop.profileId)
    .transaction((tx) => sql`UPDATE definitions SET is_default = false`.execute(tx));
  for (const id of others) expect((await shop.remove(id)).status).toBe(200);
  expect(await shop.remove(last)).toMatchObject({ status: 409, error: { code: 'invalid_state' } });
});

test('lists events received in the last 30 days with count and definition, most frequent first', async () => {
  const shop = await openShop();
  const visit = await shop.goal({ name: 'Visit', event_names: ['Visit done'] });
  const at = '2026-05-19T10:00:00Z';
  for (const user of ['a', 'b', 'c'])
    await shop.post({ event_name: 'VISIT  done', occurred_at: at, user_traits: { external_id: user } });
  for (const user of ['a', 'b'])
    await shop.post({ event_name: 'Brochure sent', occurred_at: at, user_traits: { external_id: user } });
  // No definition lists the event name, so its type counts.
  await shop.post({
    event_name: 'Web form',
    event_type: 'lead_created',
    occurred_at: at,
    user_traits: { external_id: 'a' },
  });
  await shop.post({ event_name: 'Old', occurred_at: '2026-04-01T10:00:00Z', user_traits: { external_id: 'a' } });
  const { data, meta } = await shop.call('GET', '/events');
  const lead = (await shop.call('GET', '/definitions')).data.find(
    ({ conversion_key }: { conversion_key: string }) => conversion_key === 'lead_created',
  );
  const last_occurred_at = '2026-05-19T10:00:00.000Z';
  expect(data).toEqual([
    { event_name: 'VISIT  done', count: 3, last_occurred_at, definition_id: visit.id },
    { event_name: 'Brochure sent', count: 2, last_occurred_at, definition_id: null },
    { event_name: 'Web form', count: 1, last_occurred_at, definition_id: lead.id },
  ]);
  expect(meta.days).toBe(30);
});

test('returns 403 without the scope, and 401 without a credential', async () => {
  const shop = await openShop();
  const { headers } = await buildApiKey(kit.app, shop.profileId, { scopes: ['exports:read'] });
  expect((await shop.call('GET', '/events', headers)).error.code).toBe('insufficient_scope');
  const { id } = await shop.goal({ name: 'Visit', event_names: ['visit'] });
  expect((await shop.call('DELETE', `/definitions/${id}`, headers)).error.code).toBe('insufficient_scope');
  expect((await shop.call('GET', '/events', {})).status).toBe(401);
});
