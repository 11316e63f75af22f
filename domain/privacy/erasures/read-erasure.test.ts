import { buildApiKey, openTest } from '@tributary/testkit';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { beforeEach, describe, expect, test } from 'vitest';
import { ana, openShop, type Shop } from './erasures.fixture.ts';

const world = await openTest();
const { kit } = world;
let shop: Shop;
beforeEach(async () => {
  shop = await openShop(world);
});

describe('a receipt', () => {
  test('[eras-050] is readable with attribution:write or conversions:read', async () => {
    await shop.event('e1', ana);
    const { data } = (await shop.erase({ customer_key: 'key-ana' })).json();
    expect((await shop.read(data.erasure_id)).json()).toEqual({ data, meta: { profile_id: shop.profileId } });
    const reader = await buildApiKey(kit.app, shop.profileId, { scopes: ['conversions:read'] });
    const other = await buildApiKey(kit.app, shop.profileId, { scopes: ['campaigns:read'] });
    const url = `/api/v1/customers/erasures/${data.erasure_id}`;
    expect((await shop.call('GET', url, undefined, { ...reader.headers })).statusCode).toBe(200);
    expect((await shop.call('GET', url, undefined, { ...other.headers })).statusCode).toBe(403);
  });

  test('[eras-051][err-043] returns erasure_not_found for an unknown id and one of another profile', async () => {
    const other = await openShop(world);
    await other.event('e1', ana);
    const { erasure_id } = (await other.erase({ customer_key: 'key-ana' })).json().data;
    for (const id of [erasure_id, uuid(), 'no-uuid'])
      expect((await shop.read(id)).json().error).toMatchObject({ status: 404, code: 'erasure_not_found' });
  });

  test('is listed newest first, for its own profile only', async () => {
    const receipts = [];
    for (const name of ['one', 'two', 'three']) {
      await shop.event(`e-${name}`, {
        ...ana,
        email: `${name}@example.test`,
        external_id: `key-${name}`,
        phone: undefined,
      });
      receipts.unshift((await shop.erase({ customer_key: `key-${name}` })).json().data);
      kit.clock.advance(1_000);
    }
    const list = async (at: Shop, query = '') => (await at.call('GET', `/api/v1/customers/erasures${query}`)).json();
    const first = await list(shop, '?limit=2');
    expect(first).toMatchObject({ data: receipts.slice(0, 2), pagination: { has_next: true } });
    expect(await list(shop, `?limit=2&cursor=${first.pagination.cursor}`)).toMatchObject({
      data: receipts.slice(2),
      pagination: { has_next: false },
    });
    expect((await list(await openShop(world), `?cursor=${first.pagination.cursor}`)).data).toEqual([]);
  });

  test('[eras-052] is deleted with its profile', async () => {
    await shop.event('e1', ana);
    await shop.erase({ customer_key: 'key-ana' });
    await kit.app
      .forWorkspace(shop.workspaceId)
      .transaction((tx) => sql`DELETE FROM profiles WHERE id = ${shop.profileId}`.execute(tx));
    for (const table of ['erasures', 'tombstones', 'erasure_work', 'customers'])
      expect(await shop.rows(sql`SELECT FROM ${sql.table(table)}`), table).toEqual([]);
  });
});
