import { expect, test } from 'vitest';
import { openConnections } from './connections.fixture.ts';

const { shop } = await openConnections('social_ads', 'crm_a');

test('connections are listed with their status, filtered, paginated, and read by id [conn-002] [conn-013] [conn-014] [conn-016]', async () => {
  const { ask, connect } = await shop();
  const ads = await connect('social_ads', { externalId: 'act_1', granted: ['ads_read'] });
  const crm = await connect('crm_a', { status: 'reconnect_required' });
  const { data } = await ask('GET', '/connections');
  expect(data).toMatchObject([
    { id: ads, channel: 'social_ads', status: 'connected', account: { external_id: 'act_1' }, granted: ['ads_read'] },
    { id: crm, channel: 'crm_a', status: 'reconnect_required' },
  ]);
  expect(data[0].sync).toEqual({
    state: 'idle',
    last_success_at: null,
    last_run_at: null,
    last_error: null,
    next_run_at: null,
    progress: null,
  });
  expect((await ask('GET', '/connections?channel=crm_a')).data).toMatchObject([{ id: crm }]);
  expect((await ask('GET', '/connections?channel=myspace')).status).toBe(400);
  const { pagination } = await ask('GET', '/connections?limit=1');
  expect(pagination).toEqual({ has_next: true, cursor: ads });
  expect((await ask('GET', `/connections?limit=1&cursor=${ads}`)).data).toMatchObject([{ id: crm }]);
  expect((await ask('GET', `/connections/${ads}`)).data).toEqual(data[0]);
  const stranger = await shop();
  expect((await stranger.ask('GET', `/connections/${ads}`)).status).toBe(404);
  expect((await stranger.ask('GET', '/connections')).data).toEqual([]);
});
