import { type DeliveryRecord, type EntityRecord, ProviderFault, type ProviderRecord } from '@tributary/providers';
import { sumAmounts } from '@tributary/rules';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { json, type Sandbox, startSandbox } from '../index.ts';
import { callTo } from '../testing.ts';
import { metaError } from './envelope.ts';
import type { MetaDay } from './insights.ts';
import { metaAt, openMetaAccount } from './meta.fixture.ts';
import type { MetaAccount } from './state.ts';

let now = new Date('2026-03-10T12:00:00Z');
let sandbox: Sandbox;
let meta: ReturnType<typeof metaAt>;
let account: MetaAccount;

beforeAll(async () => {
  sandbox = await startSandbox({
    seed: 5,
    now: () => now,
    market: { days: 60, currencies: ['USD', 'EUR', 'CLP'], campaigns: 18 },
  });
  meta = metaAt(sandbox);
  account = sandbox.book.meta.state.accounts[0] as MetaAccount;
});
afterAll(() => sandbox.close());

const opened = (of = account) => openMetaAccount(sandbox, of, ['ads_read']);

type Position = Parameters<NonNullable<typeof meta.sync>>[1];
interface Result {
  readonly records: ProviderRecord[];
  readonly position: Position;
  readonly pages: number;
  readonly faults: ProviderFault[];
}

/** Reads to the end; after each fault it continues from the last cursor, as a worker does. */
async function readAll(from: Position = null, who = opened()): Promise<Result> {
  const records: ProviderRecord[] = [];
  const faults: ProviderFault[] = [];
  let position: Position = from;
  let pages = 0;
  for (let tries = 0; tries < 300; tries += 1) {
    try {
      for await (const page of meta.sync?.(who, position, callTo(sandbox, now)) ?? []) {
        records.push(...page.records);
        position = page.position;
        pages += 1;
        expect(JSON.stringify(position)).not.toContain(who.credentials.accessToken.slice(0, 8));
      }
      return { records, position, pages, faults };
    } catch (error) {
      if (!(error instanceof ProviderFault) || error.details.verdict !== 'wait') throw error;
      faults.push(error);
    }
  }
  return expect.unreachable('It never ends.');
}

/** The latest record of each ad and day. */
const delivered = (records: readonly ProviderRecord[]) =>
  new Map(records.filter((one) => one.kind === 'delivery').map((one) => [`${one.externalId} ${one.day}`, one]));
const entities = (records: readonly ProviderRecord[]) =>
  records.filter((one): one is EntityRecord => one.kind === 'entity');

const toDeliveryRecord = (row: MetaDay): DeliveryRecord => ({
  kind: 'delivery',
  level: 'ad',
  externalId: row.ad.id,
  campaignId: row.ad.adSet.campaign.id,
  adSetId: row.ad.adSet.id,
  day: row.day,
  currency: row.ad.account.currency,
  spend: row.spend,
  impressions: row.impressions,
  clicks: row.clicks,
  reach: row.reach,
  conversions: String(row.purchases),
  conversionValue: row.purchases > 0 ? row.purchaseValue : '0',
  ...(row.videoViews !== null && { videoViews3s: row.videoViews, videoCompletions: row.videoCompletions ?? 0 }),
  ...(row.conversationsStarted !== null && {
    messagingConversationsStarted: row.conversationsStarted,
    messagingFirstReplies: row.conversationsStarted,
  }),
});
const booked = (since: string, until: string, of = account) =>
  new Map(sandbox.book.meta.days(of, since, until).map((row) => [`${row.ad.id} ${row.day}`, toDeliveryRecord(row)]));

describe('a first Meta sync', () => {
  it('yields every entity and every day exactly as in the sandbox’s book', async () => {
    const { records, position } = await readAll();
    const { campaigns, adSets, ads, creatives } = sandbox.book.meta.state;
    const mine = <T extends { account: MetaAccount }>(all: readonly T[]) =>
      all.filter((one) => one.account === account);
    const ids = (level: string) =>
      entities(records)
        .filter((one) => one.level === level)
        .map(({ externalId }) => externalId);
    expect(ids('campaign')).toEqual(mine(campaigns).map(({ id }) => id));
    expect(ids('ad_set')).toEqual(mine(adSets).map(({ id }) => id));
    expect(ids('ad')).toEqual(mine(ads).map(({ id }) => id));
    const ad = mine(ads).find((one) => one.of.creative.format === 'video');
    expect(entities(records).find(({ externalId }) => externalId === ad?.id)).toMatchObject({
      campaignId: ad?.adSet.campaign.id,
      adSetId: ad?.adSet.id,
      status: ad?.status,
      format: 'video',
      creative: { externalId: ad?.creativeId, videoId: creatives.get(ad?.creativeId ?? '')?.videoId },
    });
    expect(entities(records).some(({ status }) => status === 'ARCHIVED')).toBe(true);
    const audiences = new Set(entities(records).map(({ audience }) => JSON.stringify(audience)));
    expect(audiences).toContain(JSON.stringify({ warmth: 'lookalike', geo: 'CL', placement: 'automatic' }));
    expect(audiences).toContain(JSON.stringify({ warmth: 'cold', geo: 'CL', placement: 'instagram' }));
    expect(delivered(records)).toEqual(booked('2025-12-11', '2026-03-10'));
    // The account's daily cost equals the sum over its ads.
    const span = { since: '2025-12-11', until: '2026-03-10' };
    const cost = await meta.books?.spend?.(opened(), span, callTo(sandbox, now));
    const byDay = Map.groupBy(delivered(records).values(), ({ day }) => day);
    expect(cost?.map(({ day, amount }) => [day, Number(amount)]).sort()).toEqual(
      [...byDay].map(([day, rows]) => [day, Number(sumAmounts(rows.map(({ spend }) => spend)))]).sort(),
    );
    expect(position).toEqual({ stage: 'done', restatedOn: '2026-03-10' });
  });

  it('yields budgets in major units of the currency, converted from Meta’s unit', async () => {
    for (const of of sandbox.book.meta.state.accounts) {
      const { records } = await readAll(null, opened(of));
      const budgets = entities(records)
        .filter(({ level }) => level !== 'ad')
        .map(({ dailyBudget }) => dailyBudget);
      expect(budgets).toContain(of.currency === 'CLP' ? '40' : '40.00');
      expect(budgets).toContain(undefined);
    }
  });

  it('ends with the same rows although a third of the calls fail, lose their response or are truncated', async () => {
    const share = 0.15;
    const stops = [
      sandbox.say({ at: '/meta', share, times: 1e9, reply: metaError({ status: 500, code: 2, isTransient: true }) }),
      sandbox.say({ at: '/meta', share, times: 1e9, answer: 'truncated' }),
      sandbox.say({ at: '/meta', share, times: 1e9, answer: 'lost' }),
    ];
    const { records, faults } = await readAll();
    for (const stop of stops) stop();
    expect(faults.length).toBeGreaterThan(3);
    expect(new Set(faults.map(({ details }) => details.code))).toContain('2');
    expect(delivered(records)).toEqual(booked('2025-12-11', '2026-03-10'));
  });

  it('polls a report after half a second, then with growing intervals', async () => {
    const pages = await Array.fromAsync(meta.sync?.(opened(), null, callTo(sandbox, now)) ?? []);
    const waits = pages.flatMap(({ waitMs }) => waitMs ?? []);
    expect(waits).toEqual([500, 1_000, 500, 1_000, 500, 1_000]);
  });

  it('requests smaller windows when a report fails', async () => {
    const failed = json(200, { async_status: 'Job Failed', async_percent_completion: 10, error_code: 100 });
    sandbox.say({ at: /\/6\d{14}$/, times: 2, reply: failed });
    const { records, faults } = await readAll();
    expect(faults).toEqual([]);
    expect(delivered(records)).toEqual(booked('2025-12-11', '2026-03-10'));
  });
});

describe('later Meta syncs', () => {
  it('read restated days again once a day, and otherwise only the last two', async () => {
    const first = await readAll();
    const before = delivered(first.records);
    const soon = await readAll(first.position);
    expect(new Set([...delivered(soon.records).values()].map(({ day }) => day))).toEqual(
      new Set(['2026-03-09', '2026-03-10']),
    );
    now = new Date('2026-03-11T09:00:00Z');
    const nextDay = delivered((await readAll(soon.position)).records);
    expect(nextDay).toEqual(booked('2026-02-11', '2026-03-11'));
    const all = new Map([...before, ...nextDay]);
    expect(all).toEqual(booked('2025-12-11', '2026-03-11'));
    const isRestated = ([key, row]: [string, DeliveryRecord]) =>
      before.has(key) && before.get(key)?.spend !== row.spend;
    expect([...nextDay].some(isRestated)).toBe(true);
    now = new Date('2026-03-10T12:00:00Z');
  });
});

describe('Meta rate limits', () => {
  const usage = (minutes: number, percent: number) => ({
    'x-business-use-case-usage': JSON.stringify({
      5000001: [{ type: 'ads_insights', call_count: percent, total_time: 1, estimated_time_to_regain_access: minutes }],
    }),
  });

  it('pause for the time in the headers, both before and after the limit is reached', async () => {
    const body = { data: [], paging: {} };
    sandbox.say({ at: /campaigns$/, reply: json(200, body, usage(0, 90)) });
    const [page] = await Array.fromAsync(meta.sync?.(opened(), null, callTo(sandbox, now)) ?? []);
    expect(page?.waitMs).toBe(120_000);
    sandbox.say({ at: /campaigns$/, reply: metaError({ code: 80_000, headers: usage(7, 100) }) });
    const { faults } = await readAll();
    expect(faults[0]?.details).toMatchObject({ verdict: 'wait', code: '80000', retryAfterMs: 600_000 });
    sandbox.say({ at: /campaigns$/, reply: metaError({ code: 4, subcode: 1_504_022 }) });
    const app = await readAll();
    expect(app.faults[0]?.details).toMatchObject({ verdict: 'wait', code: '4/1504022', reach: 'app' });
  });

  it.each([
    [190, 463, 'reconnect'],
    [102, undefined, 'reconnect'],
    [10, undefined, 'needs_action'],
    [200, 1_487_194, 'needs_action'],
    [368, undefined, 'needs_action'],
    [100, 33, 'refused'],
    [2635, undefined, 'refused'],
  ])('map code %s/%s to %s', async (code, subcode, verdict) => {
    sandbox.say({ at: /campaigns$/, reply: metaError({ code, ...(subcode !== undefined && { subcode }) }) });
    await expect(readAll()).rejects.toMatchObject({ details: { verdict } });
  });
});
