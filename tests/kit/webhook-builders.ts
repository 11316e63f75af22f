import { v7 as uuid } from 'uuid';
import { testVault } from './operation-deps.ts';
import type { Testkit } from './testkit.ts';

const longAgo = new Date('2026-01-01T00:00:00Z');

interface Owner {
  readonly id: string;
  readonly mark: string;
}

/** Inserts a subscription of the profile that receives no deliveries. */
async function buildSubscription({ app }: Pick<Testkit, 'app'>, { id: profileId, mark }: Owner): Promise<string> {
  const id = uuid();
  const place = { table: 'webhook_subscriptions', column: 'secrets', row: id, profileId };
  await app.forProfile(profileId).transaction((tx) =>
    tx
      .insertInto('webhook_subscriptions')
      .values({
        profile_id: profileId,
        id,
        url: `https://${mark}.test/hook`,
        events: ['recompute.completed'],
        providers: ['service'],
        secrets: testVault.seal(JSON.stringify([{ secret: `whsec_${'A'.repeat(43)}=`, until: null }]), place),
        position: '0',
        created_at: longAgo,
        updated_at: longAgo,
      })
      .execute(),
  );
  return id;
}

/** Inserts a subscription with one delivery, so that its lists have a row. */
export async function buildWebhook(kit: Pick<Testkit, 'app'>, profile: Owner): Promise<string> {
  return (await buildBoth(kit, profile)).subscriptionId;
}

/** Inserts a successful delivery. */
export async function buildDelivery(kit: Pick<Testkit, 'app'>, profile: Owner): Promise<string> {
  return (await buildBoth(kit, profile)).deliveryId;
}

async function buildBoth(kit: Pick<Testkit, 'app'>, profile: Owner) {
  const [subscriptionId, deliveryId] = [await buildSubscription(kit, profile), uuid()];
  const data = { profile_id: profile.id, replay_id: uuid(), cause: profile.mark, conversions: 0 };
  const delivery = {
    profile_id: profile.id,
    id: deliveryId,
    subscription_id: subscriptionId,
    event_id: uuid(),
    event_type: 'recompute.completed',
    test_data: JSON.stringify(data),
    status: 'delivered',
    created_at: longAgo,
    touched_at: longAgo,
  };
  await kit.app
    .forProfile(profile.id)
    .transaction((tx) => tx.insertInto('webhook_deliveries').values(delivery).execute());
  return { subscriptionId, deliveryId };
}
