import type { ClickHouse } from '@tributary/clickhouse';
import { type SceneTraits, scene, type TestApi, type Testkit } from '@tributary/testkit';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { rebuildProfile } from './rebuild-profile.ts';

/** Ads that do nothing but be there, so that there is somebody to compare with. */
export const crowd = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, n) => ({ external_id: `crowd-${n}`, spend: `${10 + n}.00`, ...more }));

interface World {
  readonly kit: Testkit;
  readonly api: TestApi;
  readonly clickhouse: ClickHouse;
}

/** A shop that shows ads, on the tenth of June 2026, and whose people buy who clicked them. */
export async function openAds(world: World, traits: SceneTraits = {}) {
  const place = await scene(world, {
    scopes: ['campaigns:read', 'attribution:write'],
    requestsPerMinute: 100_000,
    ...traits,
  });
  const idOf = (externalId: string, platform = 'social_ads') => place.entity('ad', externalId, platform);
  const read = async (path: string, query: Record<string, string>) => {
    const { status, body } = await place.ask(`/api/v1/${path}?${new URLSearchParams(query)}`);
    return { status, body };
  };
  const get = (query: Record<string, string> = {}) => read('top-performers', query);
  const { kit, clickhouse } = world;
  return {
    ...place,
    read,
    get,
    /** Of the ranking, the ads as their platform calls them. */
    async ids(query: Record<string, string> = {}): Promise<string[]> {
      const { status, body } = await get(query);
      if (status !== 200) throw new Error(JSON.stringify(body));
      return body.data.map((ad: { ad_external_id: string }) => ad.ad_external_id);
    },
    /** What happens each night. */
    async rebuild() {
      kit.clock.advance(1_000);
      const { signal } = new AbortController();
      return rebuildProfile({ app: kit.app, clickhouse }, place.profileId, kit.clock.now(), signal);
    },
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
    /** Somebody clicks the ad, or one after the other, and then does something. */
    async earn(externalIds: string | readonly string[], event: object = {}): Promise<void> {
      const visitorId = uuid();
      for (const [nth, externalId] of [externalIds].flat().entries())
        await place.touch({
          visitor_id: visitorId,
          occurred_at: `2026-06-09T1${nth}:00:00.000Z`,
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
