import { raw } from '@tributary/clickhouse';
import { type SceneTraits, scene, type World } from '@tributary/testkit';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';

export const ad = '120210987654321';
export const day = (number: number) => new Date(Date.UTC(2026, 2, number)).toISOString();

/** Opens a test profile with a partner key and one ad. */
export async function openPartner(world: World, traits: SceneTraits = {}) {
  const { clickhouse } = world;
  if (!clickhouse) throw new Error('Partners need ClickHouse.');
  const shop = await scene(world, {
    scopes: ['attribution:write', 'customers:read', 'campaigns:read', 'conversions:read'],
    reportingCurrency: 'USD',
    ...traits,
  });
  await shop.spend({ external_id: ad, date: '2026-03-01' });
  const answerOf = async (path: string, body: object) => {
    const answer = await shop.call('POST', `/api/v1/partner/${path}`, body);
    return { status: answer.statusCode, body: answer.json() };
  };
  const rows = async <Row>(query: ReturnType<typeof sql>) =>
    (await shop.ledger.transaction((tx) => query.execute(tx))).rows as Row[];
  return {
    ...shop,
    declare: (body: object) =>
      answerOf('declared-source', { wamid: uuid(), answer_key: 'instagram', occurred_at: day(5), ...body }),
    refer: (body: object) => answerOf('ad-referrals', body),
    preview: (body: object) => answerOf('ad-referrals/preview', body),
    referral: (more: object = {}) => ({
      idempotency_key: uuid(),
      ad_id: ad,
      occurred_at: day(5),
      customer: { external_ref: 'eva-1' },
      ...more,
    }),
    rows,
    touches: () =>
      rows<{ kind: string; answer_key: string | null; is_second: boolean }>(
        sql`SELECT kind, answer_key, is_second FROM partner_touches ORDER BY recorded_at, id`,
      ),
    waiting: async () =>
      (await rows<{ outcome_id: string }>(sql`SELECT outcome_id FROM dirty_conversions`)).map((row) => row.outcome_id),
    async visit(occurredAt: string, came: object) {
      const visitorId = uuid();
      await shop.touch({ visitor_id: visitorId, occurred_at: occurredAt, ...came });
      await shop.link(visitorId, 'eva-1');
    },
    /** The path of each conversion, by channel and source. */
    paths: async () =>
      Object.fromEntries(
        (
          await clickhouse.query(
            raw<{ conversion_id: string; came: string[] }>(`
              WITH (SELECT CAST((groupArray(source_id), groupArray(concat(channel, ' ', source))), 'Map(UInt64, String)')
                FROM touch_sources FINAL WHERE profile_id = '${shop.profileId}') AS known
              SELECT conversion_id, arrayMap(id -> known[id], source_ids) AS came
              FROM attributed_conversions FINAL WHERE profile_id = '${shop.profileId}'`),
            {},
          )
        ).map(({ conversion_id, came }) => [conversion_id, came]),
      ),
  };
}
