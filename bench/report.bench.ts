import { createClickHouse, raw } from '@tributary/clickhouse';
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
import { bareReport } from './report-bare.ts';
import { fillOthers, fillReport, fillRewritten, reportTables, rewrittenAt } from './report-rows.ts';

const conversions = Number(process.env.BENCH_CONVERSIONS ?? 1_000_000);
const others = Number(process.env.BENCH_OTHERS ?? 10_000);
const rounds = Number(process.env.BENCH_ROUNDS ?? 41);

/** One model of each kind of credit, because the report reads different columns for them. */
const models = ['last_touch', 'linear'] as const;
type Model = (typeof models)[number];

/** GET /campaigns for a month with a million conversions, and the same among ten thousand other profiles. */
export const bench: Bench = {
  name: 'report',
  question: 'How long does GET /campaigns take for a month of a million conversions, to the best query by hand?',
  better: 'lower',

  async run({ progress }) {
    const kit = await openDrillKit('bench-report', ['postgres', 'redis', 'clickhouse']);
    const { id: profileId } = await buildProfile(kit.app);
    const { headers } = await buildApiKey(kit.app, profileId, {
      scopes: ['campaigns:read'],
      requestsPerMinute: 600_000,
    });
    const alone = await openSide(kit, { ...headers });
    // A separate database with the same rows among other profiles' rows, so that both can be measured alternately.
    const crowded = await openSide({ ...kit, clickhouseDatabase: `${kit.clickhouseDatabase}_crowded` }, { ...headers });
    // The same rows once more, a tenth of which replaced others: an as-of report reads those, too.
    const rewritten = await openSide(
      { ...kit, clickhouseDatabase: `${kit.clickhouseDatabase}_rewritten` },
      { ...headers },
    );
    try {
      await fillReport(alone.clickhouse, profileId, conversions, progress);
      for (const table of reportTables) {
        const columns = table === 'touches' ? '* EXCEPT source_id' : '*';
        await crowded.clickhouse.command(
          raw(`INSERT INTO ${table} (${columns}) SELECT ${columns} FROM ${kit.clickhouseDatabase}.${table}`),
          {},
        );
      }
      await fillOthers(crowded.clickhouse, profileId, others, progress);
      // Merges the parts, as some time after inserts.
      for (const { clickhouse } of [alone, crowded])
        for (const table of ['attributed_conversions', 'touch_sources', 'ad_entities', 'ad_delivery_daily'])
          await clickhouse.command(raw(`OPTIMIZE TABLE ${table} FINAL`), {});

      await fillRewritten(rewritten.clickhouse, kit.clickhouseDatabase, profileId);
      const took: Record<string, number[]> = {};
      const take = async (side: string, round: number, work: () => Promise<number>) => {
        const ms = await work();
        took[side] ??= [];
        if (round > 0) took[side].push(ms);
      };
      for (let round = 0; round <= rounds; round += 1) {
        for (const model of models) {
          await take(`ours ${model}`, round, () => alone.ours(model));
          await take(`bare ${model}`, round, () => alone.bare(model, profileId));
        }
        await take('crowded', round, () => crowded.ours('last_touch'));
        for (const model of models) {
          await take(`rewritten ${model}`, round, () => rewritten.ours(model));
          await take(`as of ${model}`, round, () => rewritten.ours(model, rewrittenAt));
        }
        progress(round, rounds, 'rounds');
      }
      const of = (side: string) => took[side] ?? [];
      const ratio = (a: number, b: number) => Math.round((a / b) * 1_000) / 1_000;
      return {
        ratio: ratio(median(of('ours last_touch')), median(of('bare last_touch'))),
        ratio_p95: ratio(p95(of('ours last_touch')), p95(of('bare last_touch'))),
        ratio_linear: ratio(median(of('ours linear')), median(of('bare linear'))),
        ratio_crowded: ratio(median(of('crowded')), median(of('ours last_touch'))),
        ratio_as_of: ratio(median(of('as of last_touch')), median(of('rewritten last_touch'))),
        ratio_as_of_linear: ratio(median(of('as of linear')), median(of('rewritten linear'))),
        milliseconds: Object.fromEntries(
          Object.entries(took).map(([side, values]) => [
            side,
            { p50: Math.round(median(values) * 10) / 10, p95: Math.round(p95(values) * 10) / 10 },
          ]),
        ),
        conversions,
        other_profiles: others,
        rounds,
      };
    } finally {
      await alone.close();
      await crowded.close();
      await rewritten.close();
      await kit.close();
    }
  },
};

const p95 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1] ?? Number.NaN;

/** The API on one ClickHouse database, and the hand-written report on the same tables. */
async function openSide(kit: Parameters<typeof openApi>[0], headers: Record<string, string>) {
  const warehouse = await openWarehouse(kit);
  const clickhouse = createClickHouse({
    url: kit.clickhouseUrl,
    database: kit.clickhouseDatabase,
    requestTimeoutMs: 600_000,
  });
  const api = await openApi(kit, { clickhouse });
  const address = await api.fastify.listen({ port: 0, host: '127.0.0.1' });
  const url = `${address}/api/v1/campaigns?date_from=2026-05-01&date_to=2026-05-31&model=`;
  return {
    clickhouse,
    ours: (model: Model, asOf?: Date) =>
      timed(async () => {
        const moment = asOf ? `&as_of=${asOf.toISOString()}` : '';
        const { statusCode, body } = await request(url + model + moment, { headers });
        const text = await body.text();
        if (statusCode !== 200 || !text.includes('"campaign_id"'))
          throw new Error(`${statusCode} ${text.slice(0, 300)}`);
      }),
    bare: (model: Model, profileId: string) =>
      timed(async () => {
        const rows = await clickhouse.query(raw(bareReport[model](profileId)), {});
        if (rows.length !== 10) throw new Error(`${rows.length} rows by hand`);
      }),
    async close() {
      await api.close();
      await warehouse.drop();
      await clickhouse.close();
    },
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
