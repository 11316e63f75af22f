import { createPostgres, type Postgres } from '@tributary/postgres';
import { buildProfile, buildTrackingKey, openKit } from '@tributary/testkit';
import { beforeEach, expect, test } from 'vitest';
import { KeysAway, TrackingKeys } from './tracking-keys.ts';

const kit = await openKit();
let postgres: Postgres;
let now: number;
beforeEach(() => {
  postgres = createPostgres({ url: kit.database.appUrl, poolSize: 1 });
  now = 0;
});

const minute = 60_000;
const setUp = async () => {
  const { id: profileId } = await buildProfile(kit.app);
  const { id, key } = await buildTrackingKey(kit.app, profileId, { ownHosts: ['partner.example'], dailyVisitQuota: 7 });
  const revoke = () =>
    kit.app
      .forProfile(profileId)
      .transaction((tx) =>
        tx.updateTable('tracking_keys').set({ revoked_at: new Date() }).where('id', '=', id).execute(),
      );
  return { profileId, key, revoke, keys: new TrackingKeys(postgres.unbound, () => now) };
};

test('a key is found with what it may send, and then known at once', async () => {
  const { profileId, key, keys } = await setUp();
  const expected = {
    profileId,
    plan: 'free',
    allowedHosts: [],
    ownHosts: ['partner.example'],
    keepsCity: true,
    dailyVisitQuota: 7,
    isConsentRequired: false,
  };
  expect(await keys.find(key)).toEqual(expected);
  expect(keys.find(key)).toEqual(expected);
  await postgres.close();
});

test('a revoked key is refused within seconds while visits come in, and at once after a pause', async () => {
  const { key, keys, revoke } = await setUp();
  await keys.find(key);
  await revoke();
  now += 6_000;
  expect(keys.find(key)).toBeDefined();
  await expect.poll(async () => keys.find(key)).toBeUndefined();
  const other = await setUp();
  await other.keys.find(other.key);
  await other.revoke();
  now += 10 * minute;
  expect(await other.keys.find(other.key)).toBeUndefined();
  await postgres.close();
});

test('while PostgreSQL is away what is known serves for an hour, and no longer; what is not known waits for it', async () => {
  const { key, keys } = await setUp();
  await keys.find(key);
  await postgres.close();
  now += 59 * minute;
  expect(await keys.find(key)).toBeDefined();
  await expect(keys.find(`trk_${'x'.repeat(22)}`)).rejects.toThrow(KeysAway);
  now += 2 * minute;
  await expect(keys.find(key)).rejects.toThrow(KeysAway);
});

test('a key that was made after somebody asked for it is found within seconds', async () => {
  const { id: profileId } = await buildProfile(kit.app);
  const keys = new TrackingKeys(postgres.unbound, () => now);
  expect(await keys.find('trk_0000000000000000000abc')).toBeUndefined();
  await kit.app
    .forProfile(profileId)
    .transaction((tx) =>
      tx
        .insertInto('tracking_keys')
        .values({ profile_id: profileId, id: profileId, key: 'trk_0000000000000000000abc', created_at: new Date() })
        .execute(),
    );
  now += 6_000;
  await expect.poll(async () => keys.find('trk_0000000000000000000abc')).toMatchObject({ profileId });
  await postgres.close();
});
