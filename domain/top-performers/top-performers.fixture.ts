import { type SceneTraits, scene, type World } from '@tributary/testkit';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';

/** A shop that shows ads, on the tenth of June 2026, and whose people buy who clicked them. */
export async function openAds(world: World, traits: SceneTraits = {}) {
  const place = await scene(world, {
    scopes: ['campaigns:read', 'attribution:write'],
    requestsPerMinute: 100_000,
    ...traits,
  });
  const idOf = (externalId: string, platform = 'social_ads') => place.entity('ad', externalId, platform);
  return {
    ...place,
    idOf,
    /** A day of an ad, as a platform tells it. */
    tell: (...rows: object[]) =>
      place.spend(
        ...rows.map((row) => ({
          date: '2026-06-10',
          spend: '100.00',
          impressions: 10_000,
          clicks: 200,
          objective: 'OUTCOME_SALES',
          format: 'video',
          ...row,
        })),
      ),
    /** Somebody clicks the ad and then does something. */
    async earn(externalId: string, event: object = {}): Promise<void> {
      const visitorId = uuid();
      await place.touch({
        visitor_id: visitorId,
        occurred_at: '2026-06-09T10:00:00.000Z',
        source: 'instagram',
        medium: 'paid',
        platform: 'social_ads',
        ad_id: idOf(externalId),
      });
      const { customerId } = await place.send({
        occurred_at: '2026-06-10T10:00:00.000Z',
        properties: { value: '250.00', currency: 'USD' },
        user_traits: { external_id: uuid() },
        ...event,
      });
      await place.link(visitorId, customerId);
    },
    describe: (externalId: string, creative: object) =>
      place.ledger.transaction((tx) =>
        sql`UPDATE ad_entities SET creative = ${JSON.stringify(creative)}::jsonb WHERE id = ${idOf(externalId)}`.execute(
          tx,
        ),
      ),
  };
}
