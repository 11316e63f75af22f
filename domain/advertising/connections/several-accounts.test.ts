import { expect, test } from 'vitest';
import { openConnections } from './connections.fixture.ts';

const { toy, shop } = await openConnections('crm_a', 'social_ads');

test('reads stages and suggestions of the named connection, else of the newest working one', async () => {
  const { ask, connect } = await shop();
  const older = await connect('crm_a');
  const newer = await connect('crm_a');
  toy.pipelines = [{ id: 'p1', name: 'Sales', stages: [{ id: 's1', name: 'Quote sent', position: 0 }] }];
  for (const path of ['/connections/crm_a/stages', '/integrations/crm/outcomes/prefill']) {
    expect((await ask('GET', path)).data.connection_id).toBe(newer);
    expect((await ask('GET', `${path}?connection_id=${older}`)).data.connection_id).toBe(older);
  }
  // Connections of other platforms and profiles are unknown.
  const ads = await connect('social_ads');
  const stranger = await (await shop()).connect('crm_a');
  for (const id of [ads, stranger])
    expect(await ask('GET', `/connections/crm_a/stages?connection_id=${id}`)).toMatchObject({
      status: 404,
      error: { code: 'not_found' },
    });
});

test('selects tracked pages of the named connection, and refuses if several are possible', async () => {
  const { ask, connect, row } = await shop();
  const url = '/integrations/adplatform/pages';
  toy.fbPages = [{ id: '1', name: 'Shop' }];
  const older = await connect('social_ads');
  const newer = await connect('social_ads');
  expect((await ask('GET', url)).data.connection_id).toBe(newer);
  expect(await ask('POST', url, { page_ids: ['1'] })).toMatchObject({
    status: 422,
    error: { code: 'validation_error', field: 'connection_id', message: expect.stringContaining(older) },
  });
  expect(await ask('POST', url, { page_ids: ['1'], connection_id: older })).toMatchObject({
    status: 200,
    data: { connection_id: older, pages: [{ id: '1', is_tracked: true }] },
  });
  expect((await row(newer)).tracked_pages).toEqual([]);
});
