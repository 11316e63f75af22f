import type { Testkit } from '@tributary/testkit';
import { v7 as uuid } from 'uuid';

/** Creates a customer of the profile and links the browser to it. */
export async function linkBrowser(
  kit: Pick<Testkit, 'app' | 'clock'>,
  profileId: string,
  visitorId: string,
): Promise<string> {
  const customerId = uuid();
  const now = kit.clock.now();
  await kit.app.forProfile(profileId).transaction(async (tx) => {
    await tx
      .insertInto('customers')
      .values({
        profile_id: profileId,
        id: customerId,
        sources: [],
        terms: [],
        first_seen_at: now,
        last_seen_at: now,
        created_at: now,
      })
      .execute();
    await tx
      .insertInto('visitor_links')
      .values({
        profile_id: profileId,
        visitor_id: visitorId,
        customer_id: customerId,
        source: 'identify',
        linked_at: now,
      })
      .execute();
  });
  return customerId;
}
