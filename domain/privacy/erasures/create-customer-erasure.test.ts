import { buildMember, openTest } from '@tributary/testkit';
import { beforeEach, describe, expect, test } from 'vitest';
import { ana, openShop, type Shop } from './erasures.fixture.ts';

const world = await openTest();
const { kit, api } = world;
let shop: Shop;
beforeEach(async () => {
  shop = await openShop(world);
});

describe('a member erases a customer', () => {
  const erase = (headers: Record<string, string>, body: object = {}, workspaceId = shop.workspaceId) =>
    api.fastify.inject({
      method: 'POST',
      url: `/api/v1/workspaces/${workspaceId}/customer-erasures`,
      headers,
      payload: { request_ref: 'person-1', profile_id: shop.profileId, customer_key: 'key-ana', ...body },
    });
  const member = async (role: 'owner' | 'admin' | 'analyst' | 'viewer') =>
    (await buildMember(kit.app, shop.workspaceId, role)).headers({ workspaceId: shop.workspaceId });

  test.each(['owner', 'admin'] as const)('[eras-053][eras-054] as %s of the workspace', async (role) => {
    await shop.event('e1', ana);
    const response = await erase(await member(role));
    expect(response.statusCode, response.body).toBe(202);
    expect(response.json()).toMatchObject({
      data: { request_ref: 'person-1', status: 'queued', customer_key: 'key-ana' },
      meta: { workspace_id: shop.workspaceId },
    });
    expect(await shop.mint({ customer_key: 'key-ana' })).toMatchObject({ reason: 'erased' });
    expect((await erase(await member(role))).statusCode).toBe(200);
  });

  test('[eras-054] and gets 403 or 404 with any other role or workspace', async () => {
    await shop.event('e1', ana);
    for (const role of ['analyst', 'viewer'] as const)
      expect((await erase(await member(role))).json().error).toMatchObject({ status: 403, code: 'forbidden' });
    expect((await erase({ ...shop.key.headers })).json().error.status).toBe(403);
    const stranger = await openShop(world);
    const elsewhere = (await buildMember(kit.app, stranger.workspaceId, 'owner')).headers({});
    expect((await erase(elsewhere)).json().error.status).toBe(404);
    expect((await erase(elsewhere, {}, stranger.workspaceId)).json().error).toMatchObject({
      status: 404,
      code: 'not_found',
    });
    expect(await shop.mint({ customer_key: 'key-ana' })).toMatchObject({ status: 'minted' });
  });
});
