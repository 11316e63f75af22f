import { buildMember, openTestWithClickHouse, scene } from '@tributary/testkit';
import { limits } from '@tributary/vocabulary';
import { expect, test } from 'vitest';

const world = await openTestWithClickHouse();
const { kit, api } = world;
const path = '/api/v1/saved-views';

test('a saved view is visible to every member of the workspace, sorted by name, until one of them deletes it', async () => {
  const [shop, other] = [await scene(world), await scene(world)];
  const member = (role: 'owner' | 'analyst' | 'viewer', of = shop) => buildMember(kit.app, of.workspaceId, role);
  const [owner, analyst, viewer] = [await member('owner'), await member('analyst'), await member('viewer')];
  const stranger = await member('owner', other);
  const call = async (who: typeof owner, method: 'GET' | 'PUT' | 'DELETE', payload?: object, id = '', of = shop) => {
    const headers = { ...who.headers({ profileId: of.profileId }), origin: 'https://tributary.test' };
    const answer = await api.call({
      method,
      url: id ? `${path}/${id}` : path,
      headers: { ...headers, ...(payload && { 'content-type': 'application/json' }) },
      ...(payload && { payload }),
    });
    return { status: answer.statusCode, ...answer.json() };
  };

  const losing = { name: 'Losing ads', page: 'campaigns', search: 'level=ad&sort=roas' };
  const { status, data: saved } = await call(analyst, 'PUT', losing);
  expect([status, saved]).toEqual([200, expect.objectContaining({ ...losing, saved_by: analyst.userId })]);
  await call(owner, 'PUT', { name: 'Before', page: 'overview' });
  // Saving under an existing name replaces the view and keeps its id.
  const { data: again } = await call(owner, 'PUT', { ...losing, search: 'level=ad_set' });
  expect(again).toMatchObject({ id: saved.id, search: 'level=ad_set', saved_by: owner.userId });
  const { data: found } = await call(viewer, 'GET');
  expect(found.map(({ name }: { name: string }) => name)).toEqual(['Before', 'Losing ads']);

  // Pages with personal data cannot be saved, viewers cannot save, and other workspaces neither see nor delete a view.
  expect((await call(owner, 'PUT', { ...losing, page: 'customers' })).error.code).toBe('validation_error');
  for (const refused of [await call(viewer, 'PUT', losing), await call(viewer, 'DELETE', undefined, saved.id)])
    expect([refused.status, refused.error.code]).toEqual([403, 'forbidden']);
  expect((await call(stranger, 'GET', undefined, '', other)).data).toEqual([]);
  expect((await call(stranger, 'DELETE', undefined, saved.id, other)).status).toBe(404);

  // Concurrent saves stop at the limit; an existing view can still be replaced.
  const many = Array.from({ length: limits.savedViews.most + 3 }, (_, nth) => ({ ...losing, name: `View ${nth}` }));
  const answers = await Promise.all(many.map((view) => call(owner, 'PUT', view)));
  expect(answers.filter((one) => one.status === 409).every((one) => one.error.code === 'invalid_state')).toBe(true);
  expect((await call(owner, 'GET')).data).toHaveLength(limits.savedViews.most);
  expect((await call(owner, 'PUT', losing)).status).toBe(200);
  expect((await call(analyst, 'DELETE', undefined, saved.id)).data).toEqual({ id: saved.id, deleted: true });
  expect((await call(owner, 'DELETE', undefined, saved.id)).status).toBe(404);
});
