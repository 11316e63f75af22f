import type { ClickHouse } from '@tributary/clickhouse';
import { type SceneTraits, scene, type TestApi, type Testkit } from '@tributary/testkit';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { rebuildProfile } from './rebuild-profile.ts';

/** Ads with spend only, which fill a cohort. */
export const crowd = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, n) => ({ external_id: `crowd-${n}`, spend: `${10 + n}.00`, ...more }));

interface World {
  readonly kit: Testkit;
  readonly api: TestApi;
  readonly clickhouse: ClickHouse;
}

/** A shop with ads on 10 June 2026 and customers who buy after clicking them. */
export async function openAds(world: World, traits: SceneTraits = {}) {
  const base = await scene(world, {
    scopes: ['campaigns:read', 'attribution:write'],
    requestsPerMinute: 100_000,
    ...traits,
  });
  const idOf = (externalId: string, platform = 'social_ads') => base.entity('ad', externalId, platform);
  const read = async (path: string, query: Record<string, string>) => {
    const { status, body } = await base.ask(`/api/v1/${path}?${new URLSearchParams(query)}`);
    return { status, body };
  };
  const get = (query: Record<string, string> = {}) => read('top-performers', query);
  const { kit, clickhouse } = world;
  return {
    ...base,
    read,
    get,
    /** The platform ids of the ranked ads. */
    async ids(query: Record<string, string> = {}): Promise<string[]> {
      const { status, body } = await get(query);
      if (status !== 200) throw new Error(JSON.stringify(body));
      return body.data.map((ad: { ad_external_id: string }) => ad.ad_external_id);
    },
    /** Runs the nightly rebuild. */
    async rebuild() {
      kit.clock.advance(1_000);
      const { signal } = new AbortController();
      return rebuildProfile({ app: kit.app, clickhouse }, base.profileId, kit.clock.now(), signal);
    },
    idOf,
    /** Reports a day of delivery per row, as a platform does. */
    tell: (...rows: object[]) =>
      base.spend(
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
    /** A visitor clicks one or several ads and then triggers the event. */
    async earn(externalIds: string | readonly string[], event: object = {}): Promise<void> {
      const visitorId = uuid();
      for (const [nth, externalId] of [externalIds].flat().entries())
        await base.touch({
          visitor_id: visitorId,
          occurred_at: `2026-06-09T1${nth}:00:00.000Z`,
          source: 'instagram',
          medium: 'paid',
          platform: 'social_ads',
          ad_id: idOf(externalId),
        });
      const { customerId } = await base.send({
        occurred_at: '2026-06-10T10:00:00.000Z',
        properties: { value: '250.00', currency: 'USD' },
        user_traits: { external_id: uuid() },
        ...event,
      });
      await base.link(visitorId, customerId);
    },
    describe: (externalId: string, creative: object) =>
      base.ledger.transaction((tx) =>
        sql`UPDATE ad_entities SET creative = ${JSON.stringify(creative)}::jsonb WHERE id = ${idOf(externalId)}`.execute(
          tx,
        ),
      ),
  };
}
