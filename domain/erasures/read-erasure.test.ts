import { buildApiKey, openTest } from '@tributary/testkit';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { beforeEach, describe, expect, test } from 'vitest';
import { ana, openPlace, type Place } from './erasures.fixture.ts';

const world = await openTest();
const { kit } = world;
let place: Place;
beforeEach(async () => {
  place = await openPlace(world);
});

describe('the receipt', () => {
  test('[eras-050] is read with attribution:write or conversions:read', async () => {
    await place.event('e1', ana);
    const { data } = (await place.erase({ customer_key: 'key-ana' })).json();
    expect((await place.read(data.erasure_id)).json()).toEqual({ data, meta: { profile_id: place.profileId } });
    const reader = await buildApiKey(kit.app, place.profileId, { scopes: ['conversions:read'] });
    const other = await buildApiKey(kit.app, place.profileId, { scopes: ['campaigns:read'] });
    const url = `/api/v1/customers/erasures/${data.erasure_id}`;
    expect((await place.call('GET', url, undefined, { ...reader.headers })).statusCode).toBe(200);
    expect((await place.call('GET', url, undefined, { ...other.headers })).statusCode).toBe(403);
  });

  test('[eras-051][err-043] erasure_not_found for an id that is none of this profile’s', async () => {
    const other = await openPlace(world);
    await other.event('e1', ana);
    const { erasure_id } = (await other.erase({ customer_key: 'key-ana' })).json().data;
    for (const id of [erasure_id, uuid(), 'no-uuid'])
      expect((await place.read(id)).json().error).toMatchObject({ status: 404, code: 'erasure_not_found' });
  });

  test('stands in the list of receipts, newest first, of its own profile alone', async () => {
    const receipts = [];
    for (const name of ['one', 'two', 'three']) {
      await place.event(`e-${name}`, {
        ...ana,
        email: `${name}@example.test`,
        external_id: `key-${name}`,
        phone: undefined,
      });
      receipts.unshift((await place.erase({ customer_key: `key-${name}` })).json().data);
      kit.clock.advance(1_000);
    }
    const list = async (at: Place, query = '') => (await at.call('GET', `/api/v1/customers/erasures${query}`)).json();
    const first = await list(place, '?limit=2');
    expect(first).toMatchObject({ data: receipts.slice(0, 2), pagination: { has_next: true } });
    expect(await list(place, `?limit=2&cursor=${first.pagination.cursor}`)).toMatchObject({
      data: receipts.slice(2),
      pagination: { has_next: false },
    });
    expect((await list(await openPlace(world), `?cursor=${first.pagination.cursor}`)).data).toEqual([]);
  });

  test('[eras-052] goes with its profile', async () => {
    await place.event('e1', ana);
    await place.erase({ customer_key: 'key-ana' });
    await kit.app
      .forWorkspace(place.workspaceId)
      .transaction((tx) => sql`DELETE FROM profiles WHERE id = ${place.profileId}`.execute(tx));
    for (const table of ['erasures', 'tombstones', 'erasure_work', 'customers'])
      expect(await place.rows(sql`SELECT FROM ${sql.table(table)}`), table).toEqual([]);
  });
});
