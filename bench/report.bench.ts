import { type ClickHouse, createClickHouse, raw } from '@tributary/clickhouse';
import {
  type Bench,
  buildApiKey,
  buildProfile,
  median,
  openApi,
  openDrillKit,
  openWarehouse,
} from '@tributary/testkit';
import { request } from 'undici';
import { fillOthers, fillReport } from './report-rows.ts';

const conversions = Number(process.env.BENCH_CONVERSIONS ?? 1_000_000);
const others = Number(process.env.BENCH_OTHERS ?? 10_000);
const rounds = Number(process.env.BENCH_ROUNDS ?? 41);

/** GET /campaigns for a month over a million conversions, and the same among ten thousand other profiles. */
export const bench: Bench = {
  name: 'report',
  question: 'How long does GET /campaigns take for a month of a million conversions, to its query run bare?',
  better: 'lower',

  async run({ progress }) {
    const kit = await openDrillKit('bench-report', ['postgres', 'redis', 'clickhouse']);
    const { id: profileId } = await buildProfile(kit.app);
    const { headers } = await buildApiKey(kit.app, profileId, {
      scopes: ['campaigns:read'],
      requestsPerMinute: 600_000,
    });
    const alone = await openSide(kit, { ...headers });
    // A database of its own, with the same rows and the others' among them, so that both can be asked in turn.
    const crowded = await openSide({ ...kit, clickhouseDatabase: `${kit.clickhouseDatabase}_crowded` }, { ...headers });
    try {
      await fillReport(alone.clickhouse, profileId, conversions, progress);
      for (const table of ['ad_entities', 'ad_delivery_daily', 'touches', 'attributed_conversions']) {
        const columns = table === 'touches' ? '* EXCEPT source_id' : '*';
        await crowded.clickhouse.command(
          raw(`INSERT INTO ${table} (${columns}) SELECT ${columns} FROM ${kit.clickhouseDatabase}.${table}`),
          {},
        );
      }
      await fillOthers(crowded.clickhouse, profileId, others, progress);
      // As it stands some time after the rows came.
      for (const { clickhouse } of [alone, crowded])
        for (const table of ['attributed_conversions', 'touch_sources', 'ad_entities', 'ad_delivery_daily'])
          await clickhouse.command(raw(`OPTIMIZE TABLE ${table} FINAL`), {});

      const sides = { ours: [] as number[], bare: [] as number[], crowded: [] as number[] };
      for (let round = 0; round <= rounds; round += 1) {
        const took = { ours: await alone.ours(), bare: await alone.bare(), crowded: await crowded.ours() };
        if (round > 0) for (const side of ['ours', 'bare', 'crowded'] as const) sides[side].push(took[side]);
        progress(round, rounds, 'rounds');
      }
      const ratio = (a: number, b: number) => Math.round((a / b) * 1_000) / 1_000;
      const ms = (values: readonly number[]) => ({
        p50: Math.round(median(values) * 10) / 10,
        p95: Math.round(p95(values) * 10) / 10,
      });
      return {
        ratio: ratio(median(sides.ours), median(sides.bare)),
        ratio_p95: ratio(p95(sides.ours), p95(sides.bare)),
        ratio_crowded: ratio(median(sides.crowded), median(sides.ours)),
        milliseconds: { ours: ms(sides.ours), bare: ms(sides.bare), crowded: ms(sides.crowded) },
        conversions,
        other_profiles: others,
        rounds,
      };
    } finally {
      await alone.close();
      await crowded.close();
      await kit.close();
    }
  },
};

const p95 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1] ?? Number.NaN;

/** The API over one database of columns, and the report's own query without it. */
async function openSide(kit: Parameters<typeof openApi>[0], headers: Record<string, string>) {
  const warehouse = await openWarehouse(kit);
  const client = createClickHouse({
    url: kit.clickhouseUrl,
    database: kit.clickhouseDatabase,
    requestTimeoutMs: 600_000,
  });
  let asked: (() => Promise<unknown>) | undefined;
  const watched: ClickHouse = {
    ...client,
    query(query, parameters, options) {
      if (query === 'report_list_entities') asked = () => client.query(query, parameters);
      return client.query(query, parameters, options);
    },
  };
  const api = await openApi(kit, { clickhouse: watched });
  const address = await api.fastify.listen({ port: 0, host: '127.0.0.1' });
  const url = `${address}/api/v1/campaigns?date_from=2026-05-01&date_to=2026-05-31`;
  return {
    clickhouse: client,
    ours: () =>
      timed(async () => {
        const { statusCode, body } = await request(url, { headers });
        const text = await body.text();
        if (statusCode !== 200 || !text.includes('"campaign_id"'))
          throw new Error(`${statusCode} ${text.slice(0, 300)}`);
      }),
    bare: () => timed(async () => asked?.()),
    async close() {
      await api.close();
      await warehouse.drop();
      await client.close();
    },
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
