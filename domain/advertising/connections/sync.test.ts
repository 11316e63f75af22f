import { findAds } from '@tributary/domain/advertising/campaigns';
import type { ProviderRecord } from '@tributary/providers';
import { entityIdOf } from '@tributary/rules';
import { processQueue, testOutcomeServices } from '@tributary/testkit';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { openConnections } from './connections.fixture.ts';
import { runSync } from './run-sync.ts';
import { nextRunAt } from './schedule.ts';
import { requestSync } from './store.ts';
import { lockRun, RunReplaced } from './sync-store.ts';
import { syncs } from './syncs.queue.ts';

const { kit, toy, shop, services } = await openConnections('social_ads', 'crm_a', 'payments_a', 'search_console');
const stores = {
  ...services,
  app: kit.app,
  system: kit.system,
  now: () => kit.clock.now(),
  outcomes: testOutcomeServices,
  random: () => 0,
};
const handler = syncs(stores);

beforeEach(() => {
  toy.pages = [];
  toy.failures = [];
  toy.requests = [];
});

type Shop = Awaited<ReturnType<typeof shop>>;

async function connected(channel: 'social_ads' | 'crm_a' | 'payments_a' | 'search_console', one?: Shop) {
  const owner = one ?? (await shop());
  const id = await owner.connect(channel);
  const wish = () =>
    owner.ledger.transaction((tx) => requestSync(tx, { profile_id: owner.profile.id, id, channel }, kit.clock.now()));
  await wish();
  const rows = async (statement: ReturnType<typeof sql>) =>
    (await owner.ledger.transaction((tx) => statement.execute(tx))).rows as Record<string, unknown>[];
  return {
    ...owner,
    id,
    wish,
    rows,
    read: () => processQueue(kit.system, 'syncs', handler, id),
    sync: async () => (await owner.ask('GET', `/connections/${id}`)).data.sync,
    status: async () => (await owner.ask('GET', `/connections/${id}`)).data.status,
  };
}

const delivery = (day: string, spend: string): ProviderRecord => ({
  kind: 'delivery',
  level: 'ad',
  externalId: 'ad-1',
  campaignId: 'c-1',
  adSetId: 's-1',
  day,
  currency: 'CLP',
  spend,
  impressions: 1_000,
  clicks: 10,
});

test('ads, budgets, creatives and days are stored, and a day reported again replaces the earlier report [conn-003] [camp-040] [top-034]', async () => {
  const { rows, read, sync, wish, id, ledger, profile } = await connected('social_ads');
  const creative = { externalId: 'cr-1', title: 'Two for one', thumbnailUrl: 'https://cdn.test/1.jpg', videoId: 'v-1' };
  toy.pages = [
    {
      records: [
        {
          kind: 'entity',
          level: 'campaign',
          externalId: 'c-1',
          name: 'Winter',
          objective: 'OUTCOME_SALES',
          audience: { geo: 'CL', placement: 'search' },
        },
        {
          kind: 'entity',
          level: 'ad_set',
          externalId: 's-1',
          campaignId: 'c-1',
          dailyBudget: '9000',
          currency: 'CLP',
          learningStage: 'LEARNING',
          audience: { warmth: 'warm', placement: 'instagram_story' },
        },
        { kind: 'entity', level: 'ad', externalId: 'ad-1', campaignId: 'c-1', adSetId: 's-1', creative },
      ],
      progress: 0.5,
    },
    { records: [delivery('2026-01-01', '100'), delivery('2026-01-02', '50.5')] },
  ];
  await read();
  const ads = await rows(sql`
    SELECT level, name, objective, daily_budget, learning_stage_status, creative FROM ad_entities ORDER BY level`);
  expect(ads).toMatchObject([
    {
      level: 'ad',
      creative: { creative_id: 'cr-1', title: 'Two for one', thumbnail_url: creative.thumbnailUrl, video_id: 'v-1' },
    },
    { level: 'ad_set', daily_budget: '9000', learning_stage_status: 'LEARNING' },
    { level: 'campaign', name: 'Winter', objective: 'OUTCOME_SALES' },
  ]);
  // An ad inherits audience and placement from its ad set, else from its campaign.
  const adId = entityIdOf(profile.id, 'social_ads', 'ad', 'ad-1');
  const stored = await ledger.transaction((tx) => findAds(tx, profile.id, [adId]));
  expect(stored.get(adId)?.creative).toMatchObject({
    title: 'Two for one',
    audience_warmth: 'warm',
    geo: 'CL',
    placement: 'instagram_story',
  });
  const now = kit.clock.now().toISOString();
  expect(await sync()).toEqual({
    state: 'idle',
    last_success_at: now,
    last_run_at: now,
    last_error: null,
    next_run_at: nextRunAt(id, kit.clock.now()).toISOString(),
    progress: null,
  });
  toy.pages = [{ records: [delivery('2026-01-02', '60')] }];
  await wish();
  await read();
  const days = () => rows(sql`SELECT day::text, spend FROM ad_delivery ORDER BY day`);
  expect(await days()).toEqual([
    { day: '2026-01-01', spend: '100' },
    { day: '2026-01-02', spend: '60' },
  ]);
  expect(await rows(sql`SELECT spend FROM ad_delivery_history`)).toEqual([{ spend: '50.5' }]);
  // An invalid record is counted and named, and the others are stored.
  toy.pages = [
    { records: [{ ...delivery('2026-01-03', '7'), currency: 'QQQ' } as ProviderRecord, delivery('2026-01-04', '8')] },
  ];
  await wish();
  await read();
  expect((await days()).at(-1)).toEqual({ day: '2026-01-04', spend: '8' });
  expect(await rows(sql`SELECT rejected_count, rejected FROM syncs WHERE connection_id = ${id}`)).toMatchObject([
    { rejected_count: 1, rejected: [{ external_id: 'ad-1' }] },
  ]);
});

const person = { externalId: 'p-1', email: 'ana@example.com', name: 'Ana María Soto' };
const deal = (externalId: string, stageId: string, more: object = {}): ProviderRecord => ({
  kind: 'outcome',
  externalId,
  stage: { pipelineId: 'pipe', stageId },
  occurredAt: '2025-12-01T10:00:00.000Z',
  person,
  ...more,
});

test('deals count as their stage is mapped; unmapped and ignored ones do not count, ended ones always do [conn-053] [conn-054] [conn-055] [conn-056]', async () => {
  const { rows, read, wish } = await connected('crm_a');
  const map = (stage: string, to: string) =>
    rows(
      sql`UPDATE definitions SET conversion_type = ${to}, mapping_source = 'user' WHERE stage_id = ${stage} RETURNING 1`,
    );
  const recorded = async () =>
    (await rows(sql`SELECT event_key FROM outcomes ORDER BY event_key`)).map((row) => row.event_key);
  toy.pages = [
    {
      records: [
        deal('d1', 'new'),
        deal('d2', 'spam'),
        deal('d3', 'new', { outcomeType: 'deal_lost' }),
        deal('d4', 'new', { outcomeType: 'closed_won', value: '5000', currency: 'CLP' }),
      ],
    },
  ];
  await read();
  expect(await recorded()).toEqual(['closed_won', 'deal_lost']);
  expect(
    await rows(sql`SELECT stage_id, conversion_type FROM definitions WHERE kind = 'pipeline_stage' ORDER BY stage_id`),
  ).toEqual([
    { stage_id: 'new', conversion_type: 'unmapped' },
    { stage_id: 'spam', conversion_type: 'unmapped' },
  ]);
  await map('new', 'lead_created');
  await map('spam', 'ignored');
  await wish();
  await read();
  expect(await recorded()).toEqual(['closed_won', 'deal_lost', 'lead_created']);
});

test('a first sync records past outcomes, and repeated syncs add none [evnt-018] [evnt-030] [evnt-037] [conv-007]', async () => {
  const { rows, read, wish, announced, id } = await connected('payments_a');
  const charge = (externalId: string, value: string): ProviderRecord => ({
    kind: 'outcome',
    externalId,
    outcomeType: 'payment_received',
    occurredAt: '2020-05-01T10:00:00.000Z',
    value,
    currency: 'CLP',
    person,
  });
  const refund = {
    kind: 'refund',
    externalId: 're_1',
    ofExternalId: 'ch_1',
    amount: '300',
    currency: 'CLP',
    occurredAt: '2020-06-01T00:00:00.000Z',
  } as const;
  toy.pages = [{ records: [charge('ch_1', '1000'), charge('ch_2', '500'), { ...refund, isDispute: false }] }];
  for (let time = 0; time < 3; time += 1) {
    await wish();
    await read();
  }
  const payments = () =>
    rows(sql`SELECT external_id, source, connection_id, amount, refunded FROM outcomes ORDER BY external_id`);
  expect(await payments()).toMatchObject([
    { external_id: 'ch_1', source: 'payments_a', connection_id: id, amount: '1000', refunded: '300' },
    { external_id: 'ch_2', amount: '500', refunded: '0' },
  ]);
  expect((await announced()).filter((type) => type === 'outcome.recorded')).toHaveLength(2);
  const [event] = await rows(sql`SELECT payload FROM outbox WHERE type = 'outcome.recorded' ORDER BY id LIMIT 1`);
  expect(event?.payload).toMatchObject({ occurred_at: '2020-05-01T10:00:00.000Z', provider: 'payments_a' });
  // A dispute that was lost, then won.
  const dispute = { ...refund, externalId: 'dp_1', ofExternalId: 'ch_2', amount: '500', isDispute: true };
  toy.pages = [{ records: [dispute] }];
  await wish();
  await read();
  expect((await payments())[1]).toMatchObject({ refunded: '500' });
  toy.pages = [{ records: [{ ...dispute, isUndone: true }] }];
  await wish();
  await read();
  expect((await payments())[1]).toMatchObject({ refunded: '0' });
});

test('a provider’s fault decides the next attempt, and its message is stored [conn-004] [conn-015]', async () => {
  const { read, sync, status, wish, announced, id } = await connected('social_ads');
  const again = async (failure?: (typeof toy.failures)[number]) => {
    toy.failures = failure ? Array.from({ length: 5 }, () => failure) : [];
    await wish();
    await read();
    return { ...(await sync()), status: await status() };
  };
  const secondsTo = (at: string | null) => (Date.parse(at ?? '') - kit.clock.now().getTime()) / 1_000;
  // A single failure is retried at once.
  toy.failures = [{ verdict: 'wait', says: 'busy' }];
  await read();
  expect(await sync()).toMatchObject({ state: 'idle', last_error: null });
  const slow = await again({ verdict: 'wait', says: 'Too many calls', retryAfterMs: 90_000 });
  expect(slow).toMatchObject({ state: 'failed', status: 'connected', last_error: 'Too many calls' });
  expect(secondsTo(slow.next_run_at)).toBe(90);
  const asks = await again({ verdict: 'needs_action', says: 'Accept the new terms' });
  expect(asks).toMatchObject({ status: 'needs_action', last_error: 'Accept the new terms' });
  expect(await again()).toMatchObject({ state: 'idle', status: 'connected', last_error: null });
  const gone = await again({ verdict: 'reconnect', says: 'The token was withdrawn' });
  expect(gone).toMatchObject({
    status: 'reconnect_required',
    last_error: 'The token was withdrawn',
    next_run_at: null,
  });
  expect(await announced()).toEqual(['connection.reconnect_required']);
  toy.requests = [];
  await wish();
  await read();
  expect(toy.requests).toEqual([]);
  expect((await sync()).last_error).toBe('A person has to connect again.');
  expect(id).toBeDefined();
});

test('an app-wide rate limit pauses all connections of the provider, which then resume staggered', async () => {
  const [first, second] = [await connected('search_console'), await connected('search_console')];
  toy.failures = [{ verdict: 'wait', says: 'App limit', reach: 'app', retryAfterMs: 600_000 }];
  await first.read();
  toy.requests = [];
  await second.read();
  expect(toy.requests).toEqual([]);
  const waits = Date.parse((await second.sync()).next_run_at) - kit.clock.now().getTime();
  expect(waits).toBeGreaterThanOrEqual(600_000);
  expect(waits).toBeLessThanOrEqual(720_000);
  // Other providers are called as before.
  const other = await connected('social_ads');
  await other.read();
  expect(toy.requests).toEqual(['GET /data?page=0']);
  await first.rows(sql`UPDATE provider_pauses SET until = '-infinity' RETURNING 1`);
});

test('an interrupted run continues at its cursor, and the replaced run can no longer write', async () => {
  const { profile, read, rows, id } = await connected('social_ads');
  toy.pages = [
    { records: [delivery('2026-02-01', '1')] },
    { records: [delivery('2026-02-02', '2')] },
    { records: [delivery('2026-02-03', '3')] },
  ];
  toy.delayMs = 150;
  const cut = new AbortController();
  const first = runSync(stores, profile.id, id, cut.signal);
  await expect.poll(() => rows(sql`SELECT position FROM syncs WHERE position IS NOT NULL`)).toHaveLength(1);
  cut.abort(new Error('killed'));
  await expect(first).rejects.toThrow('killed');
  toy.requests = [];
  // A paused run finds that it was replaced: it waits for its page until the other run has started.
  toy.delayMs = 1_000;
  const asleep = runSync({ ...stores, outcomes: testOutcomeServices }, profile.id, id, new AbortController().signal);
  await expect.poll(() => toy.requests).toHaveLength(1);
  const awake = runSync(stores, profile.id, id, new AbortController().signal);
  await expect.poll(() => rows(sql`SELECT run::int FROM syncs WHERE connection_id = ${id}`)).toEqual([{ run: 3 }]);
  toy.delayMs = 0;
  await Promise.all([asleep, awake]);
  expect(toy.requests).not.toContain('GET /data?page=0');
  expect(await rows(sql`SELECT day::text, revision::int FROM ad_delivery ORDER BY day`)).toEqual([
    { day: '2026-02-01', revision: 1 },
    { day: '2026-02-02', revision: 1 },
    { day: '2026-02-03', revision: 1 },
  ]);
  expect(await rows(sql`SELECT run::int, state FROM syncs WHERE connection_id = ${id}`)).toEqual([
    { run: 3, state: 'idle' },
  ]);
  const before = { profileId: profile.id, connectionId: id, number: '1' };
  const late = kit.app.forProfile(profile.id).transaction((tx) => lockRun(tx, before));
  await expect(late).rejects.toThrow(RunReplaced);
  await read();
});

test('a sync that fails by an internal error is retried with backoff, shows the cause and never stops', async () => {
  const { read, sync, status, id, ask } = await connected('social_ads');
  const fails = async () => {
    await expect(read()).rejects.toThrow(TypeError);
    await kit.system.unbound.transaction((tx) => handler.park(tx, id, { id, profileId: '' }));
    const { next_run_at, ...shown } = await sync();
    return { ...shown, waitMs: Date.parse(next_run_at) - kit.clock.now().getTime() };
  };
  toy.pages = [{ records: [delivery('2026-02-01', '1')] }];
  await read();
  const last = (await sync()).last_success_at;
  // Ad platforms report no outcomes, so the code throws.
  toy.pages = [{ records: [deal('d-1', 'new')] }];
  const waits: number[] = [];
  for (let attempt = 0; attempt < 9; attempt += 1) {
    await kit.owner.unbound.query(sql`UPDATE syncs SET due_at = '2020-01-01' WHERE connection_id = ${id}`);
    const { waitMs, ...shown } = await fails();
    expect(shown).toMatchObject({ state: 'failed', last_error: expect.stringMatching(/internal error.*retried/) });
    waits.push(waitMs);
  }
  expect(await status()).toBe('connected');
  expect(waits).toEqual(waits.toSorted((a, b) => a - b));
  expect(waits[0]).toBeGreaterThanOrEqual(30_000);
  expect(waits.at(-1)).toBeLessThanOrEqual(3_610_000);
  const failing = await kit.owner.unbound.query(sql`SELECT failing_since FROM syncs WHERE connection_id = ${id}`);
  expect(failing.rows).toEqual([{ failing_since: kit.clock.now() }]);
  // A member who requests a sync after the fix does not have to wait.
  toy.pages = [{ records: [delivery('2026-02-02', '1')] }];
  expect((await ask('POST', '/connections/sync', { connection_id: id })).status).toBe(202);
  await read();
  expect(await sync()).toMatchObject({ state: 'idle', last_error: null, last_success_at: last });
  const works = await kit.owner.unbound.query(sql`SELECT failing_since FROM syncs WHERE connection_id = ${id}`);
  expect(works.rows).toEqual([{ failing_since: null }]);
});

test('a disconnected connection shows its last sync and is not synced any more [conn-031]', async () => {
  const { read, sync, ask, id } = await connected('social_ads');
  toy.pages = [{ records: [delivery('2026-02-01', '1')] }];
  await read();
  const { last_success_at } = await sync();
  expect(last_success_at).not.toBeNull();
  const left = { state: 'idle', last_success_at, next_run_at: null };
  expect((await ask('POST', `/connections/${id}/disconnect`)).data.sync).toMatchObject(left);
  toy.requests = [];
  expect(await read()).toBe(0);
  expect(toy.requests).toEqual([]);
  expect(await sync()).toMatchObject(left);
});

test('disconnecting one connection does not change the syncs and cursors of the profile’s other connections', async () => {
  const one = await connected('social_ads');
  const others = [await connected('social_ads', one), await connected('crm_a', one)];
  for (const { id } of others)
    await one.rows(sql`UPDATE syncs SET position = '{"page": 3}' WHERE connection_id = ${id}`);
  const stored = () => one.rows(sql`SELECT * FROM syncs WHERE connection_id <> ${one.id} ORDER BY connection_id`);
  const before = await stored();
  expect(before).toMatchObject([{ position: { page: 3 } }, { position: { page: 3 } }]);
  expect((await one.ask('POST', `/connections/${one.id}/disconnect`)).status).toBe(200);
  expect(await stored()).toEqual(before);
  for (const { id, status } of others) {
    expect(await status()).toBe('connected');
    expect((await one.row(id)).credentials).not.toBeNull();
  }
});

test('regular runs are spread over the hour', () => {
  const now = new Date('2026-01-01T00:30:00Z');
  const minutes = new Map<number, number>();
  for (let index = 0; index < 6_000; index += 1) {
    const at = nextRunAt(`connection-${index}`, now).getTime() - now.getTime();
    expect(at).toBeGreaterThan(0);
    expect(at).toBeLessThanOrEqual(3_600_000);
    const minute = Math.floor(at / 60_000);
    minutes.set(minute, (minutes.get(minute) ?? 0) + 1);
  }
  expect(Math.max(...minutes.values())).toBeLessThan(150);
});
