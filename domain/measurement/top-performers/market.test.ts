import { type Ad, Book, type DeliveryRow, type Market, openMarket, ReportBook } from '@tributary/market';
import { fromMinorUnits, minorDigits, toMinorUnits } from '@tributary/rules';
import { buildApiKey, openTestWithClickHouse, settleAll } from '@tributary/testkit';
import { fillFast } from '@tributary/testkit/market';
import { beforeAll, expect, test } from 'vitest';
import { rebuildProfile } from './rebuild-profile.ts';

/** A shop with 4,000 customers and some hundred ads over the 60 days before the rebuild. Its book holds the true figures. */
const { kit, api, clickhouse } = await openTestWithClickHouse();
let headers: Readonly<Record<string, string>>;
const night = new Date('2026-06-15T02:40:00Z');
const market: Market = openMarket({
  seed: 23,
  people: 4_000,
  campaigns: 14,
  days: 60,
  start: '2026-04-16',
  currencies: ['USD', 'CLP'],
});
const book = new Book(market);
const reports = new ReportBook(market);
let delivery: DeliveryRow[];

beforeAll(async () => {
  const engines = { app: kit.app, system: kit.system, clickhouse };
  await fillFast(market, engines, {
    watch: (household) => {
      book.add(household);
      reports.add(household);
    },
  });
  const key = await buildApiKey(kit.app, market.profileId, {
    scopes: ['campaigns:read', 'attribution:write'],
    requestsPerMinute: 100_000,
  });
  headers = { ...key.headers };
  delivery = [...book.delivery.rows()].filter(({ level }) => level === 'ad');
  await tell(delivery);
  await settleAll(engines);
  await rebuildProfile({ app: kit.app, clickhouse }, market.profileId, night, new AbortController().signal);
});

/** Reports all ads day by day with their parents, like a script of the shop. */
async function tell(rows: readonly DeliveryRow[]): Promise<void> {
  const money = (units: bigint, currency: string) => fromMinorUnits(units, currency);
  for (let from = 0; from < rows.length; from += 1_000) {
    const response = await api.fastify.inject({
      method: 'POST',
      url: '/api/v1/spend',
      headers: { ...headers, 'content-type': 'application/json' },
      payload: JSON.stringify({
        rows: rows.slice(from, from + 1_000).map((row) => {
          const ad = row.entity as Ad;
          return {
            platform: ad.platform,
            level: 'ad',
            external_id: ad.externalId,
            name: ad.name,
            format: ad.creative.format,
            objective: 'OUTCOME_SALES',
            campaign_external_id: ad.adSet.campaign.externalId,
            ad_set_external_id: ad.adSet.externalId,
            date: row.day,
            currency: row.currency,
            spend: money(row.spend, row.currency),
            impressions: row.impressions,
            clicks: row.clicks,
            conversions: row.claimedConversions,
            conversion_value: money(row.claimedValue, row.currency),
            video_views_3s: row.videoViews,
          };
        }),
      }),
    });
    expect(response.json().data.summary.rejected, response.body.slice(0, 500)).toBe(0);
  }
}

interface Shown {
  readonly ad_id: string;
  readonly composite_score: number | null;
  readonly [field: string]: unknown;
}

/** In parts, because a response has at most 50 ads. */
async function ranked(window: string): Promise<Shown[]> {
  const rows: Shown[] = [];
  for (const formats of ['static,carousel', 'video', 'other', 'ugc_video,talking_head,collection']) {
    for (const kinds of ['cash', 'pipeline,messaging,meta,none']) {
      const url = `/api/v1/top-performers?window=${window}&limit=50&formats=${formats}&outcome_kinds=${kinds}`;
      const { data } = (await api.fastify.inject({ url, headers })).json() as { data: Shown[] };
      expect(data.length).toBeLessThan(50);
      rows.push(...data);
    }
  }
  return rows;
}

/** Spend in the reporting currency, converted day by day and rounded once. */
function spendOf(rows: readonly DeliveryRow[], read: (row: DeliveryRow) => bigint): number {
  const scale = 24;
  const units = rows.reduce((sum, row) => {
    const rate = market.rates.convert('1', row.currency, market.reportingCurrency, row.day)?.rate ?? '0';
    const [whole = '0', decimals = ''] = rate.split('.');
    const rateUnits = BigInt(whole + decimals.padEnd(20, '0'));
    return sum + read(row) * rateUnits * 10n ** BigInt(scale - 20 - minorDigits(row.currency));
  }, 0n);
  const digits = units.toString().padStart(scale + 1, '0');
  const exact = `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
  return Number(fromMinorUnits(toMinorUnits(exact, market.reportingCurrency), market.reportingCurrency));
}

const windows = { '7d': '2026-06-08', '14d': '2026-06-01', '28d': '2026-05-18', lifetime: '2026-04-16' };

test.for(Object.entries(windows))(
  'the figures of %s equal the simulated market’s own, ad by ad',
  async ([window, firstDay]) => {
    const isInside = ({ day }: { readonly day: string }) => day >= firstDay && day <= '2026-06-14';
    const cells = reports
      .cells()
      .filter((cell) => cell.model === 'last_touch' && cell.level === 'ad' && isInside(cell));
    const reported = Map.groupBy(delivery.filter(isInside), ({ entity }) => entity.id);
    const rows = await ranked(window);
    expect(rows.length).toBeGreaterThan(20);
    expect(rows.map(({ ad_id }) => ad_id).toSorted()).toEqual([...reported.keys()].toSorted());
    const shown = rows.map((row) => [
      row.ad_id,
      row.spend,
      row.impressions,
      row.attributed_outcomes_total,
      row.attributed_cash_outcomes,
      row.attributed_revenue,
      row.attributed_pipeline_outcomes,
      row.meta_reported_conversions,
      row.meta_reported_conversion_value,
    ]);
    const expected = rows.map(({ ad_id }) => {
      const days = reported.get(ad_id) ?? [];
      const earned = cells.filter(({ entityId }) => entityId === ad_id);
      const of = (types: readonly string[]) => earned.filter(({ conversionType }) => types.includes(conversionType));
      const count = (some: typeof earned) => some.reduce((sum, { outcomes }) => sum + outcomes, 0);
      const cash = of(['payment_received']);
      const revenue = cash.reduce((sum, cell) => sum + cell.revenue, 0n);
      return [
        ad_id,
        spendOf(days, ({ spend }) => spend),
        days.reduce((sum, { impressions }) => sum + impressions, 0),
        count(earned),
        count(cash),
        Number(fromMinorUnits(revenue, market.reportingCurrency)),
        count(of(['lead_created', 'appointment_booked', 'closed_won'])),
        days.reduce((sum, { claimedConversions }) => sum + claimedConversions, 0),
        spendOf(days, ({ claimedValue }) => claimedValue),
      ];
    });
    expect(shown).toEqual(expected);
  },
);

/** Spearman's rank correlation: 1 for identical orders, -1 for reversed ones. */
function rankCorrelation(pairs: readonly (readonly [number, number])[]): number {
  const ranks = (side: 0 | 1) => {
    const sorted = pairs.map((pair) => pair[side]).toSorted((a, b) => a - b);
    return pairs.map((pair) => (sorted.indexOf(pair[side]) + sorted.lastIndexOf(pair[side])) / 2);
  };
  const [xs, ys] = [ranks(0), ranks(1)];
  const mean = (pairs.length - 1) / 2;
  const sum = (of: (index: number) => number) => pairs.reduce((all, _, index) => all + of(index), 0);
  const spread = (values: readonly number[]) => sum((index) => ((values[index] as number) - mean) ** 2);
  const common = sum((index) => ((xs[index] as number) - mean) * ((ys[index] as number) - mean));
  return common / Math.sqrt(spread(xs) * spread(ys));
}

test('ads that really caused purchases rank higher than others', async () => {
  const scores = new Map((await ranked('lifetime')).map((row) => [row.ad_id, row.composite_score]));
  // Ads that no link names cannot appear in a report.
  const visible = market.ads.filter(({ tagging }) => tagging === 'all' || tagging === 'ad_only');
  const cost = (ad: Ad) =>
    spendOf(
      delivery.filter(({ entity }) => entity.id === ad.id),
      ({ spend }) => spend,
    );
  const pairs = visible.flatMap((ad) => {
    const score = scores.get(ad.id) ?? null;
    const spend = cost(ad);
    return score === null || spend === 0 ? [] : [[score, (book.effects[ad.number]?.buyers ?? 0) / spend] as const];
  });
  expect(pairs.length).toBeGreaterThan(40);
  const correlation = rankCorrelation(pairs);
  console.log(`rank correlation of score and true buyers per dollar: ${correlation.toFixed(3)}, ${pairs.length} ads`);
  expect(correlation).toBeGreaterThan(0.3);
});
