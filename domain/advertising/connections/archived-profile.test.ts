import { processQueue, testOutcomeServices } from '@tributary/testkit';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openConnections } from './connections.fixture.ts';
import { requestSync } from './store.ts';
import { syncs } from './syncs.queue.ts';

const { kit, toy, shop, services } = await openConnections('payments_a');
const now = () => kit.clock.now();
const handler = syncs({
  ...services,
  app: kit.app,
  system: kit.system,
  now,
  outcomes: testOutcomeServices,
  random: () => 0,
});

test('a connection of an archived profile is not synced until the profile is restored', async () => {
  const { profile, connect, ledger } = await shop();
  const id = await connect('payments_a');
  const key = { profile_id: profile.id, id, channel: 'payments_a' } as const;
  await ledger.transaction((tx) => requestSync(tx, key, now()));
  const archive = (at: Date | null) =>
    ledger.transaction((tx) => sql`UPDATE profiles SET archived_at = ${at} WHERE id = ${profile.id}`.execute(tx));
  const read = async () => {
    toy.requests = [];
    await processQueue(kit.system, 'syncs', handler, id);
    return toy.requests.length;
  };
  await archive(now());
  expect(await read()).toBe(0);
  await archive(null);
  expect(await read()).toBe(0);
  kit.clock.advance(15 * 60_000);
  expect(await read()).toBeGreaterThan(0);
});
