import { type ClickHouse, raw } from '@tributary/clickhouse';
import { buildApiKey, buildProfile, openApi, type Testkit } from '@tributary/testkit';
import { bytesPerRow } from './costs-of-visits.ts';
import type { Cpu, CpuMeter } from './cpu.ts';
import { fillReport } from './report-rows.ts';
import { fillShops, type Progress, Shops } from './shops.ts';

const profilesTogether = 200;
const rounds = 3;
/** A month of a small shop, and of one forty times as large. */
export const reportSizes = { small: 6_000, large: 240_000 } as const;
const reports = { small: 30, large: 10 } as const;

/** One changed conversion in each of many profiles, attributed in one batch: two browsers with ten touches each. */
export async function costOfAttribution(
  kit: Testkit,
  clickhouse: ClickHouse,
  meter: CpuMeter,
  progress: Progress,
): Promise<{ cpu: Cpu }> {
  const payments = await fillShops(kit.app, clickhouse, profilesTogether, progress);
  const shops = new Shops(kit.app, kit.system, clickhouse, payments);
  await shops.changeAll(shops.ids);
  await shops.attribute(shops.ids);
  const found: Cpu[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await shops.changeAll(shops.ids);
    found.push(await meter.measure(shops.ids.length, { worker: process.pid }, () => shops.attribute(shops.ids)));
  }
  return { cpu: meanOf(found) };
}

const meanOf = (found: readonly Cpu[]): Cpu => {
  const names = new Set(found.flatMap((cpu) => Object.keys(cpu)));
  const mean = (name: string) => found.reduce((sum, cpu) => sum + (cpu[name] ?? 0), 0) / found.length;
  return Object.fromEntries([...names].map((name) => [name, Math.round(mean(name) * 10) / 10]));
};

/** The first page of campaigns over a month under last touch. The client runs in the same process. */
export async function costOfReports(
  kit: Testkit,
  clickhouse: ClickHouse,
  meter: CpuMeter,
  progress: Progress,
): Promise<{ cpu: Record<keyof typeof reportSizes, Cpu>; bytes_conversion: number }> {
  const api = await openApi(kit, { clickhouse, checkAnswers: false });
  try {
    const cpu: Partial<Record<keyof typeof reportSizes, Cpu>> = {};
    for (const size of ['small', 'large'] as const) {
      const { id: profileId } = await buildProfile(kit.app);
      const { headers } = await buildApiKey(kit.app, profileId, {
        scopes: ['campaigns:read'],
        requestsPerMinute: 600_000,
      });
      await fillReport(clickhouse, profileId, reportSizes[size], progress);
      const read = async () => {
        const url = '/api/v1/campaigns?date_from=2026-05-01&date_to=2026-05-31&model=last_touch';
        const answer = await api.fastify.inject({ method: 'GET', url, headers });
        if (answer.statusCode !== 200 || !answer.body.includes('"campaign_id"'))
          throw new Error(`${answer.statusCode} ${answer.body.slice(0, 300)}`);
      };
      await settled(clickhouse);
      for (let round = 0; round < 3; round += 1) await read();
      cpu[size] = await meter.measure(reports[size], { api: process.pid }, async () => {
        for (let round = 0; round < reports[size]; round += 1) await read();
      });
    }
    const { small = {}, large = {} } = cpu;
    return { cpu: { small, large }, bytes_conversion: await bytesPerRow(clickhouse, 'attributed_conversions') };
  } finally {
    await api.close();
  }
}

/** Merges the parts, as some time after inserts. */
async function settled(clickhouse: ClickHouse): Promise<void> {
  for (const table of ['attributed_conversions', 'touch_sources', 'ad_entities', 'ad_delivery_daily'])
    await clickhouse.command(raw(`OPTIMIZE TABLE ${table} FINAL`), {});
}
