import { createHash } from 'node:crypto';
import { type DeliveryRecord, type EntityRecord, ProviderFault, type ProviderRecord } from '@tributary/providers';
import { sumAmounts } from '@tributary/rules';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../index.ts';
import { callTo, completeConsent } from '../testing.ts';
import { adsError } from './ads.ts';
import { googleAdsAt, openCustomer } from './google.fixture.ts';
import type { GoogleCustomer } from './state.ts';

let now = new Date('2026-03-10T12:00:00Z');
const redirectUri = 'http://127.0.0.1:4000/handoff/callback';
let sandbox: Sandbox;
let ads: ReturnType<typeof googleAdsAt>;
beforeEach(async () => {
  sandbox = await startSandbox({
    seed: 9,
    now: () => now,
    market: { currencies: ['USD', 'EUR', 'CLP'], campaigns: 24, days: 60 },
  });
  ads = googleAdsAt(sandbox);
});
afterEach(() => sandbox.close());

const connect = () => ads.connect ?? expect.unreachable();
const act = () => ads.act ?? expect.unreachable();
const call = () => callTo(sandbox, now);
const state = () => sandbox.book.google.state;
/** A customer that is accessed through a manager account. */
const customer = () => state().customers.find(({ manager }) => manager !== undefined) as GoogleCustomer;

const codeVerifier = 'v'.repeat(43);
const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');

describe('consent', () => {
  it('requires the verifier, finds accounts below managers, refreshes tokens and can be revoked', async () => {
    const url = connect().authorizeUrl({ redirectUri, state: 's', codeChallenge });
    const { code: stolen = '' } = await completeConsent(url);
    await expect(
      connect().exchange({ code: stolen, redirectUri, codeVerifier: 'x'.repeat(43) }, call()),
    ).rejects.toMatchObject({
      details: { code: 'invalid_grant', verdict: 'reconnect' },
    });
    const { code = '' } = await completeConsent(url);
    const credentials = await connect().exchange({ code, redirectUri, codeVerifier }, call());
    const candidates = await connect().candidates(credentials, call());
    expect(
      candidates.map(({ externalId, details }) => [externalId, details.loginCustomerId, details.currency]),
    ).toEqual(state().customers.map(({ id, manager, currency }) => [id, manager, currency]));
    expect(candidates.map(({ details }) => details.conversionCustomerId)).toEqual(
      state().customers.map(({ manager }) => manager),
    );

    expect(connect().refreshAt?.(credentials)).toEqual(new Date('2026-03-10T12:54:59Z'));
    now = new Date(now.getTime() + 3_600_000);
    await expect(connect().candidates(credentials, call())).rejects.toMatchObject({
      details: { verdict: 'reconnect' },
    });
    const fresh = await connect().refresh?.(credentials, call());
    expect(fresh).toMatchObject({ refreshToken: credentials.refreshToken });
    expect(await connect().candidates(fresh ?? credentials, call())).toHaveLength(state().customers.length);
    await connect().revoke?.({ externalId: '', credentials, details: {} }, call());
    await expect(connect().refresh?.(credentials, call())).rejects.toMatchObject({
      details: { code: 'invalid_grant', verdict: 'reconnect' },
    });
    now = new Date('2026-03-10T12:00:00Z');
  });

  it('offers no accounts when the permission was unticked, and distinguishes the kinds of denial', async () => {
    const url = connect().authorizeUrl({ redirectUri, state: 's', codeChallenge });
    const { code = '' } = await completeConsent(url, { without: ['https://www.googleapis.com/auth/adwords'] });
    const credentials = await connect().exchange({ code, redirectUri, codeVerifier }, call());
    expect(await connect().candidates(credentials, call())).toEqual([]);
    expect(connect().readCallback(await completeConsent(url, { answer: 'cancel' }))).toEqual({
      reason: 'user_cancelled',
    });
    expect(connect().readCallback(await completeConsent(url, { answer: 'deny' }))).toEqual({
      reason: 'provider_denied',
    });
    expect(connect().readCallback(await completeConsent(url, { answer: 'fail' }))).toEqual({
      reason: 'provider_error',
    });
  });
});

type Position = Parameters<NonNullable<typeof ads.sync>>[1];
async function readAll(of: GoogleCustomer, from: Position = null) {
  const records: ProviderRecord[] = [];
  const faults: ProviderFault[] = [];
  let position = from;
  let pages = 0;
  const account = openCustomer(sandbox, of, now);
  for (let tries = 0; tries < 200; tries += 1) {
    try {
      for await (const page of ads.sync?.(account, position, call()) ?? []) {
        records.push(...page.records);
        position = page.position;
        pages += 1;
      }
      expect(JSON.stringify(position)).not.toContain('sandbox');
      return { records, position, faults, pages };
    } catch (error) {
      if (!(error instanceof ProviderFault) || error.details.verdict !== 'wait') throw error;
      faults.push(error);
    }
  }
  return expect.unreachable('It never ends.');
}

const keyed = (rows: readonly DeliveryRecord[]) =>
  new Map(rows.map((row) => [`${row.level} ${row.externalId} ${row.day}`, row]));
const delivered = (records: readonly ProviderRecord[]) => keyed(records.filter((one) => one.kind === 'delivery'));
function booked(of: GoogleCustomer, since = '0') {
  const { days } = sandbox.book.google;
  const rows = [
    ...days(of, 'ad_group_ad').map((row) => ({ row, level: 'ad' as const, id: row['ad_group_ad.ad.id'] })),
    ...days(of, 'campaign')
      .filter((row) => row['campaign.advertising_channel_type'] === 'PERFORMANCE_MAX')
      .map((row) => ({ row, level: 'campaign' as const, id: row['campaign.id'] })),
  ];
  return keyed(
    rows
      .filter(({ row }) => String(row['segments.date']) >= since)
      .map(
        ({ row, level, id }): DeliveryRecord => ({
          kind: 'delivery',
          level,
          externalId: String(id),
          ...(level === 'ad' && { campaignId: String(row['campaign.id']), adSetId: String(row['ad_group.id']) }),
          day: String(row['segments.date']),
          currency: of.currency,
          spend: String(Number(row['metrics.cost_micros']) / 1e6),
          impressions: Number(row['metrics.impressions']),
          clicks: Number(row['metrics.clicks']),
          conversions: JSON.stringify(row['metrics.conversions']),
          conversionValue: JSON.stringify(row['metrics.conversions_value']),
        }),
      ),
  );
}

describe('a sync', () => {
  it("yields every entity and every day exactly as in the sandbox's book, in every currency", async () => {
    let turned = 0;
    for (const of of state().customers) {
      const { records, pages } = await readAll(of);
      const entities = records.filter((one): one is EntityRecord => one.kind === 'entity');
      const ids = (level: string) => entities.filter((one) => one.level === level).map(({ externalId }) => externalId);
      const mine = state().campaigns.filter((one) => one.customer === of);
      expect(ids('campaign')).toEqual(mine.map((one) => one.of.externalId));
      expect(ids('ad')).toEqual(
        state()
          .ads.filter((ad) => mine.includes(ad.adGroup.campaign))
          .map((ad) => ad.of.externalId),
      );
      expect(entities.find(({ level }) => level === 'campaign')).toMatchObject({
        dailyBudget: '25.5',
        currency: of.currency,
      });
      expect(new Set(entities.map(({ status }) => status))).toEqual(new Set(['ACTIVE', 'PAUSED', 'DELETED']));
      const days = delivered(records);
      expect(days).toEqual(booked(of));
      turned += pages;
    }
    // Nine queries per customer, plus further pages.
    expect(turned).toBeGreaterThan(9 * state().customers.length);
    expect(state().campaigns.some(({ isPerformanceMax }) => isPerformanceMax)).toBe(true);
  });

  it('ends with the same rows although calls fail and are truncated, and reads restated days again', async () => {
    const of = customer();
    const share = 0.2;
    const stops = [
      sandbox.say({ at: '/google/ads', share, times: 1e9, answer: 'truncated' }),
      sandbox.say({
        at: '/google/ads',
        share,
        times: 1e9,
        reply: adsError({ status: 503, rpc: 'UNAVAILABLE', errorCode: { internalError: 'TRANSIENT_ERROR' } }),
      }),
    ];
    const first = await readAll(of);
    for (const stop of stops) stop();
    expect(first.faults.length).toBeGreaterThan(1);
    expect(delivered(first.records)).toEqual(booked(of));
    // The account's daily cost equals the sum over its ads and campaigns.
    const byDay = Map.groupBy(delivered(first.records).values(), ({ day }) => day);
    const days = [...byDay.keys()].sort();
    const span = { since: days[0] ?? '', until: days.at(-1) ?? '' };
    const cost = await ads.books?.spend?.(openCustomer(sandbox, of, now), span, call());
    expect(cost?.map(({ day, amount }) => [day, Number(amount)]).sort()).toEqual(
      [...byDay].map(([day, rows]) => [day, Number(sumAmounts(rows.map(({ spend }) => spend)))]).sort(),
    );
    now = new Date('2026-03-11T12:00:00Z');
    const next = await readAll(of, first.position);
    expect(delivered(next.records)).toEqual(booked(of, '2026-02-09'));
    const soon = await readAll(of, next.position);
    expect(delivered(soon.records)).toEqual(booked(of, '2026-03-10'));
    now = new Date('2026-03-10T12:00:00Z');
  });

  it('starts the query again when Google has dropped the page token', async () => {
    const of = customer();
    const token = Buffer.from('500').toString('base64url');
    const start = {
      stage: 'ad_days',
      restatedOn: null,
      first: '2026-02-20',
      last: '2026-03-10',
      since: '2026-02-20',
    } as const;
    sandbox.say({ at: /search$/, reply: adsError({ errorCode: { requestError: 'EXPIRED_PAGE_TOKEN' } }) });
    const { records } = await readAll(of, { ...start, pageToken: token });
    expect(delivered(records)).toEqual(booked(of, '2026-02-20'));
  });

  it.each([
    [
      'quotaError',
      'RESOURCE_EXHAUSTED',
      { rateScope: 'ACCOUNT', retryDelay: '30s' },
      { verdict: 'wait', retryAfterMs: 30_000, reach: 'connection' },
    ],
    [
      'quotaError',
      'RESOURCE_EXHAUSTED',
      { rateScope: 'DEVELOPER', retryDelay: '900s' },
      { verdict: 'wait', retryAfterMs: 900_000, reach: 'app' },
    ],
    ['authenticationError', 'OAUTH_TOKEN_REVOKED', undefined, { verdict: 'reconnect' }],
    ['authenticationError', 'TWO_STEP_VERIFICATION_NOT_ENROLLED', undefined, { verdict: 'needs_action' }],
    ['authorizationError', 'CUSTOMER_NOT_ENABLED', undefined, { verdict: 'needs_action' }],
    ['requestError', 'UNSUPPORTED_VERSION', undefined, { verdict: 'refused' }],
  ] as const)('sorts %s %s', async (kind, word, quota, expected) => {
    sandbox.say({ at: /search$/, reply: adsError({ errorCode: { [kind]: word }, ...(quota && { quota }) }) });
    const pages = ads.sync?.(openCustomer(sandbox, customer(), now), null, call()) ?? [];
    await expect(Array.fromAsync(pages)).rejects.toMatchObject({ details: { code: word, ...expected } });
  });
});

describe('changes at Google Ads', () => {
  it('pause and resume the given campaign, and change an unshared budget', async () => {
    const of = customer();
    const account = openCustomer(sandbox, of, now);
    const campaign =
      state().campaigns.find((one) => one.customer === of && !one.budget.isShared && !one.isPerformanceMax) ??
      expect.unreachable();
    const entity = { level: 'campaign', externalId: campaign.of.externalId } as const;
    const active = state().ads.filter((ad) => ad.adGroup.campaign === campaign && ad.status === 'ENABLED');
    expect(await act().read(account, entity, call())).toMatchObject({
      status: 'ACTIVE',
      dailyBudget: '25.5',
      activeAds: active.length,
    });
    await act().setStatus(account, entity, 'PAUSED', call());
    expect(campaign.status).toBe('PAUSED');
    await act().setStatus(account, entity, 'ACTIVE', call());
    await act().setDailyBudget?.(account, entity, '31.25', call());
    expect(campaign.budget.micros).toBe(31_250_000n);
    await expect(act().setDailyBudget?.(account, entity, '0.5', call())).rejects.toMatchObject({
      details: { verdict: 'refused', code: 'BUDGET_BELOW_PER_DAY_MINIMUM' },
    });
    const ad = active[0] ?? expect.unreachable();
    const adEntity = { level: 'ad', externalId: ad.of.externalId } as const;
    await act().setStatus(account, adEntity, 'PAUSED', call());
    expect(ad.status).toBe('PAUSED');
    expect(await act().read(account, adEntity, call())).toMatchObject({ status: 'PAUSED', campaignStatus: 'ACTIVE' });
    const group = { level: 'ad_set', externalId: ad.adGroup.of.externalId } as const;
    expect(await act().read(account, group, call())).toMatchObject({
      dailyBudget: null,
      campaignId: campaign.of.externalId,
    });
    await expect(act().setDailyBudget?.(account, group, '10', call())).rejects.toMatchObject({
      details: { code: 'budget_of_campaign' },
    });
    const shared = state().campaigns.find((one) => one.budget.isShared) ?? expect.unreachable();
    const sharing = openCustomer(sandbox, shared.customer, now);
    await expect(
      act().setDailyBudget?.(sharing, { ...entity, externalId: shared.of.externalId }, '10', call()),
    ).rejects.toMatchObject({
      details: { code: 'shared_budget' },
    });
    for (const externalId of ['1', "1 OR campaign.id > '0"]) {
      expect(await act().read(account, { ...entity, externalId }, call())).toBeUndefined();
    }
  });
});
