import { buildMember, openTest } from '@tributary/testkit';
import { beforeEach, describe, expect, test } from 'vitest';
import { ana, openPlace, type Place } from './erasures.fixture.ts';

const world = await openTest();
const { kit, api } = world;
let place: Place;
beforeEach(async () => {
  place = await openPlace(world);
});

describe('a person erases', () => {
  const erase = (headers: Record<string, string>, body: object = {}, workspaceId = place.workspaceId) =>
    api.fastify.inject({
      method: 'POST',
      url: `/api/v1/workspaces/${workspaceId}/customer-erasures`,
      headers,
      payload: { request_ref: 'person-1', profile_id: place.profileId, customer_key: 'key-ana', ...body },
    });
  const member = async (role: 'owner' | 'admin' | 'analyst' | 'viewer') =>
    (await buildMember(kit.app, place.workspaceId, role)).headers({ workspaceId: place.workspaceId });

  test.each(['owner', 'admin'] as const)('[eras-053][eras-054] as %s of the workspace', async (role) => {
    await place.event('e1', ana);
    const response = await erase(await member(role));
    expect(response.statusCode, response.body).toBe(202);
    expect(response.json()).toMatchObject({
      data: { request_ref: 'person-1', status: 'queued', customer_key: 'key-ana' },
      meta: { workspace_id: place.workspaceId },
    });
    expect(await place.mint({ customer_key: 'key-ana' })).toMatchObject({ reason: 'erased' });
    expect((await erase(await member(role))).statusCode).toBe(200);
  });

  test('[eras-054] nobody else', async () => {
    await place.event('e1', ana);
    for (const role of ['analyst', 'viewer'] as const)
      expect((await erase(await member(role))).json().error).toMatchObject({ status: 403, code: 'forbidden' });
    expect((await erase({ ...place.key.headers })).json().error.status).toBe(403);
    const stranger = await openPlace(world);
    const elsewhere = (await buildMember(kit.app, stranger.workspaceId, 'owner')).headers({});
    expect((await erase(elsewhere)).json().error.status).toBe(404);
    expect((await erase(elsewhere, {}, stranger.workspaceId)).json().error).toMatchObject({
      status: 404,
      code: 'not_found',
    });
    expect(await place.mint({ customer_key: 'key-ana' })).toMatchObject({ status: 'minted' });
  });
});
