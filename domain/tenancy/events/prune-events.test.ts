import { sweepOld } from '@tributary/postgres';
import { buildProfile, openKit } from '@tributary/testkit';
import { v7 as uuid } from 'uuid';
import { expect, test } from 'vitest';
import { announce } from './index.ts';
import { sequenceBatch } from './sequencer.ts';

const kit = await openKit();

test('deletes an event 90 days and one hour after it was numbered', async () => {
  const profile = await buildProfile(kit.app);
  const numberOne = async () => {
    const occurredAt = kit.clock.now();
    const data = { profile_id: profile.id, freshness: 'behind', since: occurredAt.toISOString() } as const;
    await kit.app
      .forProfile(profile.id)
      .transaction((tx) => announce(tx, [{ id: uuid(), type: 'profile.freshness.changed', data, occurredAt }]));
    await sequenceBatch(kit.system.unbound, kit.clock.now());
  };
  const signal = new AbortController().signal;
  const sweeper = () => ({ ledger: kit.system.unbound, now: kit.clock.now(), days: { BAD_VISIT_DAYS: 30 }, signal });
  await numberOne();
  kit.clock.advance(1);
  await numberOne();
  const prune = () => sweepOld(sweeper(), ['event_log']);
  kit.clock.advance(90 * 86_400_000 + 3_600_000 - 1);
  expect(await prune()).toBe(0);
  kit.clock.advance(1);
  expect(await prune()).toBe(1);
});
