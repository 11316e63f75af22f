import { buildApiKey, buildProfile, openTest } from '@tributary/testkit';
import { v7 as uuid } from 'uuid';
import { expect, test } from 'vitest';

const { kit, api } = await openTest();

test('[track-020] returns the most recent replay of the profile, or null', async () => {
  const [profile, other] = [await buildProfile(kit.app), await buildProfile(kit.app)];
  const { headers } = await buildApiKey(kit.app, profile.id, { scopes: ['analytics:read'] });
  const read = async () => (await api.fastify.inject({ url: '/api/v1/tracking/replay-status', headers })).json();
  const request = async (profileId: string, minute: number, more: object) => {
    const replay = {
      profile_id: profileId,
      id: uuid(),
      cause: 'definition_changed',
      requested_at: at(minute),
      state: 'queued',
      ...more,
    };
    await kit.app
      .forProfile(profileId)
      .transaction((tx) => tx.insertInto('attribution_replays').values(replay).execute());
    return replay.id;
  };
  const at = (minute: number) => new Date(Date.UTC(2026, 5, 15, 12, minute));

  expect(await read()).toEqual({ data: null, meta: { profile_id: profile.id } });
  await request(other.id, 59, {});
  expect((await read()).data).toBeNull();
  const latest = await request(profile.id, 2, {
    state: 'failed',
    buckets_total: 64,
    buckets_done: 3,
    conversions_done: 12_345,
    started_at: at(3),
    finished_at: at(4),
    error: 'The warehouse was away.',
  });
  await request(profile.id, 1, {});
  expect((await read()).data).toEqual({
    id: latest,
    cause: 'definition_changed',
    state: 'failed',
    buckets_total: 64,
    buckets_done: 3,
    conversions_done: 12_345,
    requested_at: '2026-06-15T12:02:00.000Z',
    started_at: '2026-06-15T12:03:00.000Z',
    finished_at: '2026-06-15T12:04:00.000Z',
    error: 'The warehouse was away.',
  });
});
