import type { ClickHouse } from '@tributary/clickhouse';
import { startAttribution } from '@tributary/domain/attribution';
import { startDeliveryCopy } from '@tributary/domain/campaigns';
import type { Postgres } from '@tributary/postgres';
import { entityIdOf } from '@tributary/rules';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';

export interface Stage {
  readonly app: Postgres;
  readonly system: Postgres;
  readonly clickhouse: ClickHouse;
}

/** Lets the workers do what is to be done, and stops them when nothing is. */
export async function settle({ app, system, clickhouse }: Stage, onError: (error: unknown) => void): Promise<void> {
  const options = { app, system, clickhouse, now: () => new Date(), onError, idleMs: 20 };
  const workers = [startAttribution(options), startDeliveryCopy(options)];
  const isBusy = async () => {
    const { rows } = await system.unbound.query(sql<{ busy: boolean }>`
      SELECT EXISTS (SELECT FROM dirty_conversions) OR EXISTS (SELECT FROM delivery_copies WHERE is_due) AS busy`);
    return rows[0]?.busy ?? false;
  };
  try {
    for (let tries = 0; await isBusy(); tries += 1) {
      if (tries > 1_200) throw new Error('The workers do not come to an end.');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
  }
}

interface Place extends Stage {
  readonly profileId: string;
  readonly post: (url: string, body: object) => Promise<unknown>;
}

/** The tools to show an ad, and to let people buy who clicked it. */
export function openAds({ app, clickhouse, profileId, post }: Place) {
  const idOf = (externalId: string, platform = 'social_ads') => entityIdOf(profileId, platform, 'ad', externalId);
  return {
    idOf,
    /** A day of an ad, as a platform tells it. */
    tell: (...rows: object[]) =>
      post('/api/v1/spend', {
        rows: rows.map((row) => ({
          platform: 'social_ads',
          level: 'ad',
          date: '2026-06-10',
          currency: 'USD',
          spend: '100.00',
          impressions: 10_000,
          clicks: 200,
          objective: 'OUTCOME_SALES',
          format: 'video',
          ...row,
        })),
      }),
    /** Somebody clicks the ad and then does something. */
    async earn(externalId: string, event: object = {}): Promise<void> {
      const visitor = uuid();
      await clickhouse.insertLines(
        'touches',
        JSON.stringify({
          profile_id: profileId,
          visitor_id: visitor,
          occurred_at: '2026-06-09T10:00:00.000Z',
          touch_id: uuid(),
          session_id: uuid(),
          channel: 'paid_social',
          source: 'instagram',
          medium: 'paid',
          platform: 'social_ads',
          ad_id: idOf(externalId),
        }),
      );
      const key = uuid();
      await post('/api/v1/events', {
        event_name: 'payment_received',
        idempotency_key: key,
        occurred_at: '2026-06-10T10:00:00.000Z',
        properties: { value: '250.00', currency: 'USD' },
        user_traits: { external_id: key },
        ...event,
      });
      await app.forProfile(profileId).transaction((tx) =>
        sql`INSERT INTO visitor_links (profile_id, visitor_id, customer_id, source, linked_at)
          SELECT profile_id, ${visitor}, customer_id, 'identify', now() FROM outcomes WHERE idempotency_key = ${key}`.execute(
          tx,
        ),
      );
    },
    describe: (externalId: string, creative: object) =>
      app
        .forProfile(profileId)
        .transaction((tx) =>
          sql`UPDATE ad_entities SET creative = ${JSON.stringify(creative)}::jsonb WHERE id = ${idOf(externalId)}`.execute(
            tx,
          ),
        ),
  };
}
