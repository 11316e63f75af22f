import { events, liveEventNames } from '@tributary/contract';
import { buildProfile, openKit } from '@tributary/testkit';
import { v7 as uuid } from 'uuid';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { type Announcement, announce } from './index.ts';

const kit = await openKit();
const profileId = (await buildProfile(kit.app)).id;

const tell = (announcement: object) =>
  kit.app
    .forProfile(profileId)
    .transaction((tx) => announce(tx, [{ id: uuid(), occurredAt: kit.clock.now(), ...announcement } as Announcement]));
const told = () =>
  kit.app
    .forProfile(profileId)
    .transaction((tx) => tx.selectFrom('outbox').select(['type', 'payload']).orderBy('id', 'desc').execute());

const freshness = { profile_id: uuid(), freshness: 'behind', since: '2026-01-31T09:30:00.000Z' };

describe('what is announced', () => {
  test.each(liveEventNames)('%s is written as the table declares it', async (type) => {
    const sample = Object.entries({ ...events[type].sample, profile_id: profileId, outcome_id: uuid() });
    const declared = Object.keys(events[type].announced.shape);
    const data = Object.fromEntries(sample.filter(([field]) => declared.includes(field)));
    await tell({ type, data });
    expect((await told())[0]).toEqual({ type, payload: data });
  });

  test.each([
    ['a name that nobody declared', { type: 'test.happened', data: {} }, /"test.happened"/],
    ['a reserved name', { type: 'message.received', data: {} }, /"message.received"/],
    ['a field too few', { type: 'profile.freshness.changed', data: { freshness: 'behind' } }, /data.profile_id/],
    ['a word that is not in its list', { ...freshness, freshness: 'stale' }, /data.freshness/],
    ['a field too many', { ...freshness, email: 'ana@example.com' }, /does not hold what it declares/],
  ])('%s is refused, and nothing is written', async (_, wrong, message) => {
    const before = await told();
    const announcement = 'type' in wrong ? wrong : { type: 'profile.freshness.changed', data: wrong };
    await expect(tell(announcement)).rejects.toThrow(message);
    expect(await told()).toEqual(before);
  });

  test('a refusal does not repeat what it refuses: it could be a person', async () => {
    const wrong = { type: 'profile.freshness.changed', data: { ...freshness, 'ana@example.com': 'ana@example.com' } };
    await expect(tell(wrong)).rejects.not.toThrow(/ana/);
  });

  test('an event of another profile cannot be written', async () => {
    await expect(tell({ type: 'profile.freshness.changed', data: freshness })).rejects.toThrow(/row-level security/);
  });
});

test('what the table does not declare does not compile', () => {
  type Told<Type extends string, Data> = { id: string; type: Type; data: Data; occurredAt: Date };
  interface Freshness {
    profile_id: string;
    freshness: 'behind';
    since: string;
  }
  expectTypeOf<Told<'profile.freshness.changed', Freshness>>().toExtend<Announcement>();
  expectTypeOf<Told<'test.happened', Freshness>>().not.toExtend<Announcement>();
  expectTypeOf<Told<'message.received', Freshness>>().not.toExtend<Announcement>();
  expectTypeOf<Told<'recompute.completed', Freshness>>().not.toExtend<Announcement>();
  expectTypeOf<Told<'profile.freshness.changed', Omit<Freshness, 'since'>>>().not.toExtend<Announcement>();
  expectTypeOf<Told<string, Freshness>>().not.toExtend<Announcement>();
  expectTypeOf<Parameters<typeof announce>[1]>().toEqualTypeOf<readonly Announcement[]>();
  expect(announce).toBeInstanceOf(Function);
});
