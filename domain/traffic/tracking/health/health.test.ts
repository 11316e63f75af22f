import { randomUUID } from 'node:crypto';
import { createClickHouse, raw } from '@tributary/clickhouse';
import { visit } from '@tributary/clickhouse/visit.fixture.ts';
import { buildApiKey, buildProfile, openApi, openTestWithClickHouse } from '@tributary/testkit';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { beforeEach, describe, expect, test } from 'vitest';
import { linkBrowser } from './link-browser.fixture.ts';

const { kit, api, clickhouse } = await openTestWithClickHouse();
let profileId: string;
let workspaceId: string;
let headers: Record<string, string>;
beforeEach(async () => {
  ({ id: profileId, workspaceId } = await buildProfile(kit.app, { timeZone: 'America/Santiago' }));
  headers = { ...(await buildApiKey(kit.app, profileId, { scopes: ['visitors:read', 'analytics:read'] })).headers };
});

const get = async (path: string, by = api) => {
  const answer = await by.fastify.inject({ url: `/api/v1/tracking/${path}`, headers });
  return { status: answer.statusCode, ...answer.json() };
};
const hour = 3_600_000;
const before = (ms: number) => new Date(kit.clock.now().getTime() - ms).toISOString();
const store = (...changes: Parameters<typeof visit>[0][]) =>
  clickhouse.insert(
    'visits',
    changes.map((one) => visit({ profile_id: profileId, ...one })),
  );

const link = (visitorId: string) => linkBrowser(kit, profileId, visitorId);

describe('the feed of events', () => {
  test('[track-016] shows a visit with all derived fields and the linked customer', async () => {
    const visitorId = randomUUID();
    const customerId = await link(visitorId);
    const row = visit({
      profile_id: profileId,
      visitor_id: visitorId,
      occurred_at: before(hour),
      received_at: before(hour - 5),
      city: '',
    });
    await clickhouse.insert('visits', [row]);
    const { profile_id: _, region: __, ...shown } = row;
    const answer = await get('events');
    expect(answer.status).toBe(200);
    expect(answer.data).toEqual([{ ...shown, city: null, customer_profile_id: customerId }]);
    expect(answer.pagination).toEqual({ has_next: false, cursor: `${before(hour)}|${row.visit_id}` });
  });

  test('pages through all visits once, newest first, even with equal times, and lists a redelivered visit once', async () => {
    const visits = Array.from({ length: 60 }, (_, index) =>
      visit({
        profile_id: profileId,
        occurred_at: before(hour * (1 + Math.floor(index / 20))),
        received_at: before(hour),
      }),
    );
    await clickhouse.insert('visits', visits);
    await clickhouse.insert('visits', visits.slice(0, 30));
    const seen: { visit_id: string; occurred_at: string }[] = [];
    let path = 'events?limit=7';
    for (;;) {
      const { data, pagination } = await get(path);
      expect(data.length).toBeLessThanOrEqual(7);
      seen.push(...data);
      if (!pagination.has_next) break;
      path = `events?limit=7&cursor=${encodeURIComponent(pagination.cursor)}`;
    }
    expect(seen).toHaveLength(60);
    expect(new Set(seen.map((one) => one.visit_id))).toEqual(new Set(visits.map((one) => one.visit_id)));
    const times = seen.map((one) => one.occurred_at);
    expect(times).toEqual(times.toSorted().reverse());
  });

  test('covers 90 days, excludes bots by default, and filters', async () => {
    await store(
      { event_name: 'old', occurred_at: before(90 * 24 * hour + 1) },
      { event_name: 'edge', occurred_at: before(90 * 24 * hour) },
      { event_name: 'bot', is_bot: true, occurred_at: before(hour) },
      { event_name: 'cart', event_type: 'track', channel: 'email', occurred_at: before(2 * hour) },
    );
    const names = async (query: string) =>
      (await get(`events${query}`)).data.map((one: { event_name: string }) => one.event_name);
    expect(await names('')).toEqual(['cart', 'edge']);
    expect(await names('?include_bots=true')).toEqual(['bot', 'cart', 'edge']);
    expect(await names('?event_type=track')).toEqual(['cart']);
    expect(await names('?channel=paid_search')).toEqual(['edge']);
    expect(await names('?channel=email&event_type=page_view')).toEqual([]);
  });

  test('a page view inherits the channel of its session’s latest arrival', async () => {
    const visitor_id = randomUUID();
    const session_id = randomUUID();
    const step = (
      event_name: string,
      minutes: number,
      came: object = { channel: 'direct', source: 'direct', medium: '' },
    ) => ({
      ...{ visit_id: randomUUID(), visitor_id, session_id, is_session_start: false, referrer: '', platform: '' },
      ...{ campaign_external_id: '', ad_set_external_id: '', ad_external_id: '' },
      ...{ event_name, occurred_at: before(hour - minutes * 60_000), ...came },
    });
    const ad = {
      channel: 'paid_social',
      source: 'facebook',
      medium: 'paid',
      platform: 'social_ads',
      ad_external_id: '7',
    };
    const steps = [
      step('landing', 0, { ...ad, is_session_start: true }),
      step('second', 1),
      step('lead', 2, { event_type: 'track', channel: 'direct', source: 'direct' }),
      step('newsletter', 3, { channel: 'email', source: 'news' }),
      step('fourth', 4),
      step('typed in', 50, { session_id: randomUUID(), is_session_start: true, channel: 'direct', source: 'direct' }),
    ];
    await store(...steps);
    const arrivals = steps.filter(({ event_name }) => ['landing', 'newsletter', 'typed in'].includes(event_name));
    await clickhouse.insertLines(
      'touches',
      arrivals
        .map((one) => ({ ...one, profile_id: profileId, touch_id: one.visit_id }))
        .map(({ visitor_id, session_id, occurred_at, touch_id, profile_id, ...rest }) =>
          JSON.stringify({
            profile_id,
            visitor_id,
            session_id,
            occurred_at,
            touch_id,
            channel: 'channel' in rest && rest.channel,
          }),
        )
        .join('\n'),
    );
    const shown = async (query = '') =>
      (await get(`events${query}`)).data.map((one: Record<string, unknown>) => [one.event_name, one.channel]);
    expect(await shown()).toEqual([
      ['typed in', 'direct'],
      ['fourth', 'email'],
      ['newsletter', 'email'],
      ['lead', 'paid_social'],
      ['second', 'paid_social'],
      ['landing', 'paid_social'],
    ]);
    expect((await get('events?channel=paid_social&limit=1')).data[0]).toMatchObject({
      source: 'facebook',
      ad_external_id: '7',
    });
    expect(await shown('?channel=direct')).toEqual([['typed in', 'direct']]);
    expect((await shown('?channel=email')).map(([name]: string[]) => name)).toEqual(['fourth', 'newsletter']);
    expect((await shown('?channel=paid_social&event_type=track')).map(([name]: string[]) => name)).toEqual(['lead']);
    // Each page starts where the previous one ended, even if the remaining visits are weeks older.
    await store({
      visitor_id: randomUUID(),
      event_name: 'long ago',
      occurred_at: before(40 * 24 * hour),
      channel: 'email',
    });
    const first = await get('events?channel=email&limit=2');
    const rest = await get(`events?channel=email&limit=2&cursor=${encodeURIComponent(first.pagination.cursor)}`);
    expect(rest.data.map((one: { event_name: string }) => one.event_name)).toEqual(['long ago']);
    expect([first.pagination.has_next, rest.pagination.has_next]).toEqual([true, false]);
  });

  test('lists only the profile’s own visits, and none if there are none', async () => {
    await clickhouse.insert('visits', [visit({ occurred_at: before(hour) })]);
    const { data, pagination } = await get('events');
    expect([data, pagination]).toEqual([[], { has_next: false, cursor: null }]);
  });

  test('requires visitors:read, and logs each read in the data access log', async () => {
    const visitorId = randomUUID();
    await link(visitorId);
    await store({ visitor_id: visitorId, occurred_at: before(hour) });
    await get('events');
    headers = { ...(await buildApiKey(kit.app, profileId, { scopes: ['analytics:read'] })).headers };
    expect((await get('events')).error.code).toBe('insufficient_scope');
    const log = await kit.app
      .forWorkspace(workspaceId)
      .transaction((tx) =>
        tx
          .selectFrom('pii_access_log')
          .select(['operation', 'people', 'result'])
          .where('profile_id', '=', profileId)
          .orderBy('id')
          .execute(),
      );
    expect(log).toEqual([
      { operation: 'listTrackingEvents', people: 1, result: 'served' },
      { operation: 'listTrackingEvents', people: 0, result: 'refused' },
    ]);
  });

  test.each([
    'limit=0',
    'limit=101',
    'limit=x',
    'cursor=x',
    `cursor=9999-99-99T00:00:00.000Z|${randomUUID()}`,
    `cursor=2500-01-01T00:00:00.000Z|${randomUUID()}`,
    'event_type=other',
    'channel=A',
    'include_bots=1',
  ])('refuses %s', async (query) => {
    expect((await get(`events?${query}`)).error).toMatchObject({
      code: 'invalid_parameter',
      field: query.split('=')[0],
    });
  });
});

describe('the state of ClickHouse', () => {
  test('[track-017] returns rows, the newest visit, the lag, and parts', async () => {
    expect((await get('ops')).data).toMatchObject({
      newest_received_at: null,
      lag_seconds: null,
      tables: [
        { table: 'visits', rows: 0 },
        { table: 'touches', rows: 0 },
      ],
    });
    await store({ received_at: before(90_000) }, { received_at: before(60_500) });
    const { data } = await get('ops');
    expect(data).toEqual({
      newest_received_at: before(60_500),
      lag_seconds: 60,
      tables: [
        { table: 'visits', rows: 2, parts: expect.any(Number), pending_mutations: 0 },
        { table: 'touches', rows: 0, parts: expect.any(Number), pending_mutations: 0 },
      ],
    });
    expect(data.tables[0].parts).toBeGreaterThan(0);
  });

  test('does not count the parts and mutations of other profiles', async () => {
    await store({ received_at: before(1_000) });
    const alone = await get('ops');
    const other = (await buildProfile(kit.app)).id;
    const row = { ...visit({ received_at: before(1_000) }), profile_id: other };
    for (let part = 0; part < 3; part += 1) await clickhouse.insert('visits', [{ ...row, visit_id: uuid() }]);
    // A mutation that never finishes: it fails at every row.
    const command = (id: string) =>
      clickhouse.command(
        raw(
          `ALTER TABLE visits UPDATE city = toString(throwIf(1)) WHERE profile_id = '${id}' SETTINGS mutations_sync = 0`,
        ),
        {},
      );
    const undo = () =>
      clickhouse.command(raw("KILL MUTATION WHERE database = currentDatabase() AND table = 'visits' SYNC"), {});
    try {
      await command(other);
      expect((await get('ops')).data.tables).toEqual(alone.data.tables);
      await command(profileId);
      expect((await get('ops')).data.tables[0].pending_mutations).toBe(1);
    } finally {
      await undo();
    }
  });
});

describe('quality', () => {
  const range = 'quality?date_from=2026-06-13&date_to=2026-06-15';
  const bad = (reason: string, receivedAt: string, replayedAt: Date | null = null) =>
    kit.app.forProfile(profileId).transaction((tx) =>
      tx
        .insertInto('bad_visits')
        .values({
          profile_id: profileId,
          id: uuid(),
          reason,
          sealed: Buffer.of(1),
          received_at: receivedAt,
          replayed_at: replayedAt,
        })
        .execute(),
    );

  test('[track-019] counts visits by day in the profile’s time zone, with bots, bad and unmatched ones', async () => {
    const known = randomUUID();
    await link(known);
    const at = (received_at: string) => ({ received_at, occurred_at: received_at });
    // Santiago is four hours behind in June.
    await store(
      { ...at('2026-06-13T04:00:00.000Z'), visitor_id: known },
      { ...at('2026-06-13T03:59:59.999Z') },
      { ...at('2026-06-14T03:59:59.999Z') },
      { ...at('2026-06-15T12:00:00.000Z'), is_bot: true },
      { ...at('2026-06-15T13:00:00.000Z') },
      // Sent late by an offline browser: it counts on the day of arrival.
      { received_at: '2026-06-15T14:00:00.000Z', occurred_at: '2026-05-17T14:00:00.000Z', visitor_id: known },
    );
    await bad('bad_url', '2026-06-14T12:00:00.000Z');
    await bad('bad_url', '2026-06-14T13:00:00.000Z');
    await bad('clock_ahead', '2026-06-14T14:00:00.000Z');
    await bad('bad_url', '2026-06-14T15:00:00.000Z', kit.clock.now());
    await bad('bad_url', '2026-06-16T04:00:00.000Z');
    const { status, data } = await get(range);
    expect(status).toBe(200);
    const none = { accepted: 0, bots: 0, bad: 0, bad_by_reason: {}, refused: 0, refused_by_reason: {}, unmatched: 0 };
    expect(data).toEqual({
      total: { ...none, accepted: 5, bots: 1, bad: 3, bad_by_reason: { bad_url: 2, clock_ahead: 1 }, unmatched: 2 },
      is_unmatched_estimated: false,
      last_visit_at: '2026-06-15T14:00:00.000Z',
      silent_since: null,
      days: [
        { date: '2026-06-13', ...none, accepted: 2, unmatched: 1 },
        { date: '2026-06-14', ...none, bad: 3, bad_by_reason: { bad_url: 2, clock_ahead: 1 } },
        { date: '2026-06-15', ...none, accepted: 3, bots: 1, unmatched: 1 },
      ],
    });
  });

  test('counts visits that collectors refused, by reason', async () => {
    const recordRefused = (day: string, reason: string, visits: number) =>
      kit.app
        .forProfile(profileId)
        .transaction((tx) =>
          tx
            .insertInto('refused_visits')
            .values({ profile_id: profileId, day, reason, teller: randomUUID(), visits })
            .execute(),
        );
    await recordRefused('2026-06-13', 'daily_quota', 7);
    await recordRefused('2026-06-14', 'address_quota', 2);
    await recordRefused('2026-06-14', 'address_quota', 3);
    await recordRefused('2026-06-14', 'consent', 1);
    await recordRefused('2026-06-16', 'consent', 1);
    const { data } = await get(range);
    expect(data.total).toMatchObject({
      refused: 13,
      refused_by_reason: { daily_quota: 7, address_quota: 5, consent: 1 },
    });
    expect(data.days[1]).toMatchObject({ refused: 6, refused_by_reason: { address_quota: 5, consent: 1 } });
  });

  test('returns since when no visits have arrived', async () => {
    expect((await get(range)).data).toMatchObject({ last_visit_at: null, silent_since: null });
    const last = before(24 * hour);
    await store({ received_at: last });
    expect((await get(range)).data).toMatchObject({ last_visit_at: last, silent_since: last });
    await store({ received_at: before(24 * hour - 1) });
    expect((await get(range)).data.silent_since).toBeNull();
  });

  test('estimates unmatched visits from a sample if many browsers are linked', async () => {
    const at = { received_at: '2026-06-14T12:00:00.000Z', occurred_at: '2026-06-14T12:00:00.000Z' };
    const customerId = await link(randomUUID());
    await kit.app.forProfile(profileId).transaction((tx) =>
      sql`INSERT INTO visitor_links (profile_id, visitor_id, customer_id, source, linked_at)
        SELECT ${profileId}, gen_random_uuid(), ${customerId}, 'identify', now() FROM generate_series(1, 6000)`.execute(
        tx,
      ),
    );
    const links = await kit.app
      .forProfile(profileId)
      .transaction((tx) =>
        tx.selectFrom('visitor_links').select('visitor_id').where('profile_id', '=', profileId).limit(3_000).execute(),
      );
    const rows = [
      ...links.map(({ visitor_id }) => ({ ...at, visitor_id })),
      ...Array.from({ length: 3_000 }, () => ({ ...at })),
    ];
    await store(...rows);
    const { data } = await get(range);
    expect(data.is_unmatched_estimated).toBe(true);
    expect(data.total.accepted).toBe(6_000);
    expect(Math.abs(data.total.unmatched - 3_000)).toBeLessThan(250);
  });

  test.each([
    'date_from=2026-06-15&date_to=2026-06-14',
    'date_from=2025-06-14&date_to=2026-06-15',
    'date_from=2026-02-30&date_to=2026-06-15',
    'date_to=2026-06-15',
  ])('refuses %s', async (query) => {
    const answer = await get(`quality?${query}`);
    expect([answer.status, answer.error.code]).toEqual([400, 'invalid_date_range']);
  });

  test('accepts a range of 366 days', async () => {
    const { data } = await get('quality?date_from=2025-06-15&date_to=2026-06-15');
    expect(data.days).toHaveLength(366);
  });
});

describe('while ClickHouse is unavailable', () => {
  test('[err-038] its routes return 503 and /readyz is degraded, other routes still work', async () => {
    const away = createClickHouse({ url: 'http://127.0.0.1:9', database: 'none' });
    const alone = await openApi(kit, { clickhouse: away });
    for (const path of ['events', 'ops', 'quality?date_from=2026-06-15&date_to=2026-06-15']) {
      const answer = await get(path, alone);
      expect([answer.status, answer.error.code]).toEqual([503, 'service_unavailable']);
    }
    expect((await get('settings', alone)).status).toBe(200);
    const ready = await alone.fastify.inject('/readyz');
    expect([ready.statusCode, ready.json().status, ready.json().engines.clickhouse]).toEqual([200, 'degraded', 'away']);
    await alone.close();
    await away.close();
  });
});
