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

test('however many keys somebody makes up, a real one stays known', async () => {
  const { key } = await setUp();
  let questions = 0;
  const lookUps: LookUps = {
    lookUp: async (statement, values = []) => {
      questions += 1;
      const [asked] = values as [string[]];
      return asked.includes(key) ? postgres.unbound.lookUp(statement, values) : [];
    },
  };
  const keys = new TrackingKeys(lookUps, () => now);
  expect(await keys.find(key)).toBeDefined();
  // As many as it keeps of real ones.
  for (let n = 0; n < 200; n += 1)
    await Promise.all(Array.from({ length: 1_000 }, (_, m) => keys.find(`trk_${n * 1_000 + m}`)));
  const before = questions;
  expect(await keys.find(key)).toBeDefined();
  expect(questions).toBe(before);
  await postgres.close();
});

describe('while changes are told', () => {
  /** Counts what PostgreSQL is asked. */
  const counted = () => {
    let questions = 0;
    const lookUps: LookUps = {
      lookUp: (statement, values) => {
        questions += 1;
        return postgres.unbound.lookUp(statement, values);
      },
    };
    return { lookUps, questions: () => questions };
  };

  test('a key is asked for once, until its profile changes or telling stops', async () => {
    const { profileId, key, revoke } = await setUp();
    const { lookUps, questions } = counted();
    const keys = new TrackingKeys(lookUps, () => now);
    keys.hearing();
    now += 1;
    await keys.find(key);
    now += 9 * minute;
    expect(keys.find(key)).toBeDefined();
    expect(questions()).toBe(1);
    keys.changed(uuid());
    expect(keys.find(key)).toBeDefined();
    expect(questions()).toBe(1);
    // Nobody can be sure for ever that nothing was missed.
    now += 2 * minute;
    await keys.find(key);
    expect(questions()).toBe(2);
    now += minute;
    keys.notHearing();
    await keys.find(key);
    expect(questions()).toBe(3);
    now += minute;
    keys.hearing();
    now += 1;
    await keys.find(key);
    expect(questions()).toBe(4);
    await revoke();
    keys.changed(profileId);
    now += minute;
    expect(await keys.find(key)).toBeUndefined();
    await postgres.close();
  });

  test('an answer that was under way when the change was told does not stand', async () => {
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

  test('the ledger tells of everything that an answer is made of, and of nothing else', async () => {
    const { profileId, revoke } = await setUp();
    const told: string[] = [];
    const connected = Promise.withResolvers<void>();
    const hearing = listen(kit.database.collectorUrl, trackingChannel, {
      onMessage: (message) => told.push(message),
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
    // Notices come in the order of their transactions, so the mark is behind whatever a change told.
    for (const [nth, [change, whose]] of changes.entries()) {
      told.length = 0;
      await change();
      await kit.app.unbound.query(sql`SELECT pg_notify(${trackingChannel}, ${`mark ${nth}`})`);
      await expect.poll(() => told.at(-1)).toBe(`mark ${nth}`);
      expect(told, `change ${nth}`).toEqual([...(whose ? [whose] : []), `mark ${nth}`]);
    }
    await hearing.close();
    await postgres.close();
  });
});
