import { createPostgres, type LookUps, listen, type Postgres } from '@tributary/postgres';
import { buildProfile, buildTrackingKey, openKit } from '@tributary/testkit';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { beforeEach, describe, expect, test } from 'vitest';
import { KeysAway, TrackingKeys, trackingChannel } from './tracking-keys.ts';

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

test('a key is found with its settings, and then served from the cache', async () => {
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

test('a revoked key is rejected within seconds while visits arrive, and at once after a pause', async () => {
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

test('while PostgreSQL is down, cached keys are valid for an hour and others fail', async () => {
  const { key, keys } = await setUp();
  await keys.find(key);
  await postgres.close();
  now += 59 * minute;
  expect(await keys.find(key)).toBeDefined();
  await expect(keys.find(`trk_${'x'.repeat(22)}`)).rejects.toThrow(KeysAway);
  now += 2 * minute;
  await expect(keys.find(key)).rejects.toThrow(KeysAway);
});

test('a key created after it was first requested is found within seconds', async () => {
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

test('made-up keys do not evict a real one', async () => {
  const { key } = await setUp();
  let queries = 0;
  const lookUps: LookUps = {
    lookUp: async (statement, values = []) => {
      queries += 1;
      const [asked] = values as [string[]];
      return asked.includes(key) ? postgres.unbound.lookUp(statement, values) : [];
    },
  };
  const keys = new TrackingKeys(lookUps, () => now);
  expect(await keys.find(key)).toBeDefined();
  // As many as the cache holds of real ones.
  for (let n = 0; n < 200; n += 1)
    await Promise.all(Array.from({ length: 1_000 }, (_, m) => keys.find(`trk_${n * 1_000 + m}`)));
  const before = queries;
  expect(await keys.find(key)).toBeDefined();
  expect(queries).toBe(before);
  await postgres.close();
});

describe('with change notifications', () => {
  /** Counts the queries to PostgreSQL. */
  const counted = () => {
    let queries = 0;
    const lookUps: LookUps = {
      lookUp: (statement, values) => {
        queries += 1;
        return postgres.unbound.lookUp(statement, values);
      },
    };
    return { lookUps, queries: () => queries };
  };

  test('a key is queried once, until its profile changes or notifications stop', async () => {
    const { profileId, key, revoke } = await setUp();
    const { lookUps, queries } = counted();
    const keys = new TrackingKeys(lookUps, () => now);
    keys.hearing();
    now += 1;
    await keys.find(key);
    now += 9 * minute;
    expect(keys.find(key)).toBeDefined();
    expect(queries()).toBe(1);
    keys.changed(uuid());
    expect(keys.find(key)).toBeDefined();
    expect(queries()).toBe(1);
    // Cached answers expire eventually, because a notification may have been lost.
    now += 2 * minute;
    await keys.find(key);
    expect(queries()).toBe(2);
    now += minute;
    keys.notHearing();
    await keys.find(key);
    expect(queries()).toBe(3);
    now += minute;
    keys.hearing();
    now += 1;
    await keys.find(key);
    expect(queries()).toBe(4);
    await revoke();
    keys.changed(profileId);
    now += minute;
    expect(await keys.find(key)).toBeUndefined();
    await postgres.close();
  });

  test('an answer that was in flight when a change was announced is not cached', async () => {
    const { profileId, key, revoke } = await setUp();
    const lookUps: LookUps = {
      lookUp: async (statement, values) => {
        const rows = await postgres.unbound.lookUp(statement, values);
        await revoke();
        now += 1;
        keys.changed(profileId);
        now += 1;
        return rows as never;
      },
    };
    const keys = new TrackingKeys(lookUps, () => now);
    keys.hearing();
    now += 1;
    expect(await keys.find(key)).toBeDefined();
    now += minute;
    expect(await keys.find(key)).toBeUndefined();
    await postgres.close();
  });

  test('the ledger announces changes of all columns in an answer, and no others', async () => {
    const { profileId, revoke } = await setUp();
    const announced: string[] = [];
    const connected = Promise.withResolvers<void>();
    const hearing = listen(kit.database.collectorUrl, trackingChannel, {
      onMessage: (message) => announced.push(message),
      onConnect: connected.resolve,
      onError: connected.reject,
    });
    await connected.promise;
    const { id: elsewhere, workspaceId } = await buildProfile(kit.app);
    await buildTrackingKey(kit.app, elsewhere);
    const inWorkspace = (set: object) =>
      kit.app
        .forWorkspace(workspaceId)
        .transaction((tx) => tx.updateTable('workspaces').set(set).where('id', '=', workspaceId).execute());
    const inProfile = (set: object) =>
      kit.app
        .forWorkspace(workspaceId)
        .transaction((tx) => tx.updateTable('profiles').set(set).where('id', '=', elsewhere).execute());
    const settings = (set: object) =>
      kit.app
        .forProfile(profileId)
        .transaction((tx) =>
          tx.updateTable('tracking_settings').set(set).where('profile_id', '=', profileId).execute(),
        );
    const changes: [() => Promise<unknown>, string | undefined][] = [
      [() => settings({ daily_visit_quota: 9 }), profileId],
      [() => settings({ is_consent_required: true }), profileId],
      [revoke, profileId],
      [() => inWorkspace({ name: 'Another name' }), undefined],
      [() => inWorkspace({ plan: 'scale' }), elsewhere],
      [() => inProfile({ name: 'Another name' }), undefined],
      [() => inProfile({ archived_at: new Date() }), elsewhere],
    ];
    // Notifications arrive in transaction order, so the mark follows those of the change.
    for (const [nth, [change, whose]] of changes.entries()) {
      announced.length = 0;
      await change();
      await kit.app.unbound.query(sql`SELECT pg_notify(${trackingChannel}, ${`mark ${nth}`})`);
      await expect.poll(() => announced.at(-1)).toBe(`mark ${nth}`);
      expect(announced, `change ${nth}`).toEqual([...(whose ? [whose] : []), `mark ${nth}`]);
    }
    await hearing.close();
    await postgres.close();
  });
});
