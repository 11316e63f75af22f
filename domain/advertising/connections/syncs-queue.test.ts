import { processQueue, testOutcomeServices } from '@tributary/testkit';
import { expect, test } from 'vitest';
import { openConnections } from './connections.fixture.ts';
import { requestSync } from './store.ts';
import { syncs } from './syncs.queue.ts';

const { kit, toy, shop, services } = await openConnections('social_ads');
const now = () => kit.clock.now();
const stores = { ...services, app: kit.app, system: kit.system, now, outcomes: testOutcomeServices, random: () => 0 };
const handler = syncs(stores);

test.each([
  { waitMs: 3_000, laterSeconds: 3 },
  // The worker's regular search finds it in time.
  { waitMs: 600_000, laterSeconds: undefined },
])(
  'a sync that waits $waitMs ms for its provider is looked at again after $laterSeconds seconds',
  async ({ waitMs, laterSeconds }) => {
    const { ledger, profile, connect } = await shop();
    const id = await connect('social_ads');
    await ledger.transaction((tx) => requestSync(tx, { profile_id: profile.id, id, channel: 'social_ads' }, now()));
    toy.pages = [{ records: [], waitMs }, { records: [] }];
    await processQueue(kit.system, 'syncs', handler, id);
    const { items, laterSeconds: seconds } = await handler.load(id, 1, AbortSignal.timeout(10_000));
    expect({ items, seconds }).toEqual({ items: [], seconds: laterSeconds });
  },
);
