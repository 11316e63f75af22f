import { buildProfile, openKit } from '@tributary/testkit';
import { v7 as uuid } from 'uuid';
import { expect, test } from 'vitest';
import { type Announcement, announce } from './index.ts';
import { sequenceBatch } from './sequencer.ts';

const kit = await openKit();

const events = (profileId: string, count: number) =>
  Array.from(
    { length: count },
    (): Announcement => ({
      id: uuid(),
      type: 'recompute.completed',
      data: { profile_id: profileId, replay_id: uuid(), cause: 'test', conversions: 0 },
      occurredAt: kit.clock.now(),
    }),
  );

const log = () =>
  kit.system.unbound.transaction((tx) =>
    tx.selectFrom('event_log').select(['id', 'sequence']).orderBy('sequence').execute(),
  );

test('an event committed late gets a later number than events numbered before it', async () => {
  const profile = await buildProfile(kit.app);
  const ledger = kit.app.forProfile(profile.id);
  const before = (await log()).length;
  const [early, late] = [events(profile.id, 2), events(profile.id, 3)];
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const begun = Promise.withResolvers<void>();
  // This one writes first and commits last.
  const slow = ledger.transaction(async (tx) => {
    await announce(tx, early);
    begun.resolve();
    await held;
  });
  await begun.promise;
  await ledger.transaction((tx) => announce(tx, late));
  expect(await sequenceBatch(kit.system.unbound, kit.clock.now())).toBe(3);
  release();
  await slow;
  expect(await sequenceBatch(kit.system.unbound, kit.clock.now())).toBe(2);
  expect((await log()).slice(before).map(({ id, sequence }) => [sequence, id])).toEqual(
    [...late, ...early].map(({ id }, index) => [String(before + index + 1), id]),
  );
});

test('numbers a backlog in write order, batch by batch', async () => {
  const profile = await buildProfile(kit.app);
  const before = (await log()).length;
  const written = events(profile.id, 7);
  await kit.app.forProfile(profile.id).transaction((tx) => announce(tx, written));
  for (const count of [3, 3, 1]) expect(await sequenceBatch(kit.system.unbound, kit.clock.now(), 3)).toBe(count);
  expect((await log()).slice(before).map(({ id }) => id)).toEqual(written.map(({ id }) => id));
});

test('concurrent sequencers assign consecutive numbers without duplicates or gaps', async () => {
  const profile = await buildProfile(kit.app);
  const before = (await log()).length;
  await kit.app.forProfile(profile.id).transaction((tx) => announce(tx, events(profile.id, 500)));
  const moved = await Promise.all([1, 2, 3, 4].map(() => sequenceBatch(kit.system.unbound, kit.clock.now(), 200)));
  expect(moved.reduce((sum, count) => sum + count)).toBe(500);
  const numbers = (await log()).map(({ sequence }) => Number(sequence));
  expect(numbers).toEqual(Array.from({ length: before + 500 }, (_, index) => index + 1));
});
