import { type ClickHouse, raw } from '@tributary/clickhouse';
import { scene, type World } from '@tributary/testkit';
import { sql } from 'kysely';
import { copyDelivery } from './copy-delivery.ts';

export const row = (more: object = {}) => ({
  platform: 'social_ads',
  level: 'ad',
  external_id: 'ad-1',
  date: '2026-06-01',
  currency: 'USD',
  spend: '12.50',
  impressions: 1_000,
  clicks: 20,
  ...more,
});

/** Opens a test profile that reports spend, with helpers to read both databases. */
export async function openAdvertiser(world: World & { readonly clickhouse: ClickHouse }) {
  const { profileId, ledger, call } = await scene(world, { scopes: ['attribution:write'] });
  const { app } = world.kit;
  const { clickhouse } = world;
  const send = (payload: object | string, headers?: Readonly<Record<string, string>>) =>
    call('POST', '/api/v1/spend', payload, headers);
  const ask = (text: string) => clickhouse.query(raw<Record<string, unknown>>(text), { profile_id: profileId });
  return {
    profileId,
    send,
    sendCsv: (text: string) => send(text, { 'content-type': 'text/csv' }),
    /** Sends valid rows and returns the status of each. */
    async push(...rows: object[]): Promise<string[]> {
      const response = await send({ rows });
      if (response.statusCode !== 200) throw new Error(response.body);
      return response.json().data.results.map(({ status }: { status: string }) => status);
    },
    copy: (size = 1_000) => copyDelivery({ app, clickhouse }, profileId, size),
    query: async <Row>(text: string) => (await ledger.transaction((tx) => sql<Row>`${sql.raw(text)}`.execute(tx))).rows,
    days: () =>
      ask(
        'SELECT level, day, platform, currency, toString(spend) AS spend, impressions, clicks, toString(platform_conversions) AS conversions, version FROM ad_delivery_daily FINAL WHERE profile_id = {profile_id:UUID} ORDER BY level, day, entity_id',
      ),
    history: () =>
      ask(
        'SELECT day, toString(spend) AS spend, version FROM ad_delivery_history FINAL WHERE profile_id = {profile_id:UUID} ORDER BY day, version',
      ),
    entities: () =>
      ask(
        `SELECT e.external_id AS external_id, e.level AS level, e.name AS name, s.external_id AS ad_set, c.external_id AS campaign
         FROM (SELECT * FROM ad_entities FINAL WHERE profile_id = {profile_id:UUID}) AS e
         LEFT JOIN (SELECT * FROM ad_entities FINAL WHERE profile_id = {profile_id:UUID}) AS s ON s.entity_id = e.ad_set_id
         LEFT JOIN (SELECT * FROM ad_entities FINAL WHERE profile_id = {profile_id:UUID}) AS c ON c.entity_id = e.campaign_id
         ORDER BY level, external_id`,
      ),
    dirty: async () => {
      const { rows } = await ledger.transaction((tx) =>
        sql<{
          n: string;
        }>`SELECT (SELECT count(*) FROM dirty_entities) + (SELECT count(*) FROM dirty_delivery) AS n`.execute(tx),
      );
      return Number(rows[0]?.n);
    },
    ask,
  };
}
