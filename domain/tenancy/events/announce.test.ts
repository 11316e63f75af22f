import { events, liveEventNames } from '@tributary/contract';
import { buildProfile, openKit } from '@tributary/testkit';
import { v7 as uuid } from 'uuid';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { type Announcement, announce } from './index.ts';

const kit = await openKit();
const profileId = (await buildProfile(kit.app)).id;

const announceOne = (announcement: object) =>
  kit.app
    .forProfile(profileId)
    .transaction((tx) => announce(tx, [{ id: uuid(), occurredAt: kit.clock.now(), ...announcement } as Announcement]));
const readOutbox = () =>
  kit.app
    .forProfile(profileId)
    .transaction((tx) => tx.selectFrom('outbox').select(['type', 'payload']).orderBy('id', 'desc').execute());

const freshness = { profile_id: uuid(), freshness: 'behind', since: '2026-01-31T09:30:00.000Z' };

describe('announce', () => {
  test.each(liveEventNames)('writes the declared fields of %s', async (type) => {
    const sample = Object.entries({ ...events[type].sample, profile_id: profileId, outcome_id: uuid() });
    const declared = Object.keys(events[type].announced.shape);
    const data = Object.fromEntries(sample.filter(([field]) => declared.includes(field)));
    await announceOne({ type, data });
    expect((await readOutbox())[0]).toEqual({ type, payload: data });
  });

  test.each([
    ['an undeclared name', { type: 'test.happened', data: {} }, /"test.happened"/],
    ['a reserved name', { type: 'message.received', data: {} }, /"message.received"/],
    ['a missing field', { type: 'profile.freshness.changed', data: { freshness: 'behind' } }, /data.profile_id/],
    ['a value outside its enum', { ...freshness, freshness: 'stale' }, /data.freshness/],
    ['an undeclared field', { ...freshness, email: 'ana@example.com' }, /does not hold what it declares/],
  ])('refuses %s and writes nothing', async (_, wrong, message) => {
    const before = await readOutbox();
    const announcement = 'type' in wrong ? wrong : { type: 'profile.freshness.changed', data: wrong };
    await expect(announceOne(announcement)).rejects.toThrow(message);
    expect(await readOutbox()).toEqual(before);
  });

  test('error messages do not repeat the refused data, which could be personal', async () => {
    const wrong = { type: 'profile.freshness.changed', data: { ...freshness, 'ana@example.com': 'ana@example.com' } };
    await expect(announceOne(wrong)).rejects.not.toThrow(/ana/);
  });

  test('cannot write an event of another profile', async () => {
    await expect(announceOne({ type: 'profile.freshness.changed', data: freshness })).rejects.toThrow(
      /row-level security/,
    );
  });
});

test('undeclared events do not compile', () => {
  type EventOf<Type extends string, Data> = { id: string; type: Type; data: Data; occurredAt: Date };
  interface Freshness {
    profile_id: string;
    freshness: 'behind';
    since: string;
  }
  expectTypeOf<EventOf<'profile.freshness.changed', Freshness>>().toExtend<Announcement>();
  expectTypeOf<EventOf<'test.happened', Freshness>>().not.toExtend<Announcement>();
  expectTypeOf<EventOf<'message.received', Freshness>>().not.toExtend<Announcement>();
  expectTypeOf<EventOf<'recompute.completed', Freshness>>().not.toExtend<Announcement>();
  expectTypeOf<EventOf<'profile.freshness.changed', Omit<Freshness, 'since'>>>().not.toExtend<Announcement>();
  expectTypeOf<EventOf<string, Freshness>>().not.toExtend<Announcement>();
  expectTypeOf<Parameters<typeof announce>[1]>().toEqualTypeOf<readonly Announcement[]>();
  expect(announce).toBeInstanceOf(Function);
});
