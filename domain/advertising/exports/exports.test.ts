import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { compose } from './compose.ts';
import { openExports } from './exports.fixture.ts';
import type { TargetRow } from './store.ts';

const { kit, platform, shop: open } = await openExports();
const sha = (text: string) => createHash('sha256').update(text).digest('hex');
const hour = 3_600_000;

beforeEach(() => {
  platform.receivedEvents.length = 0;
  platform.calls.length = 0;
  platform.poisoned.clear();
  platform.lost = 0;
  platform.away = 0;
  platform.liveAdSets = [];
});

test('sends nothing for an archived profile; waiting events are sent after it is restored', async () => {
  const shop = await open();
  const archive = (at: Date | null) =>
    kit.app
      .forWorkspace(shop.workspaceId)
      .transaction((tx) => sql`UPDATE profiles SET archived_at = ${at} WHERE id = ${shop.profileId}`.execute(tx));
  await shop.pay('order-1');
  await archive(new Date());
  await shop.run();
  expect(platform.calls).toEqual([]);
  expect(await shop.statuses()).toEqual({ 'order-1': 'waiting connection_unusable' });
  await archive(null);
  await shop.run();
  expect(platform.receivedEvents).toHaveLength(1);
});

describe('a run', () => {
  test('exports each listed outcome once, with customer data hashed and subjects left out, and publishes export.completed [evnt-015] [inge-036]', async () => {
    const shop = await open();
    const subject = 'Sub-ject_7';
    const properties = { value: '100.00', currency: 'USD', subject_ref: subject };
    await shop.pay('order-1', { click_ids: { fbclid: 'AbC' }, properties });
    expect(await shop.rows(sql`SELECT subject_ref FROM outcomes`)).toEqual([{ subject_ref: subject }]);
    await shop.send({ event_name: 'newsletter', idempotency_key: 'n-1', properties: {} });
    // Its type is listed, but its name takes precedence.
    await shop.pay('placed', { event_name: 'order_placed', event_type: 'payment_received' });
    const preview = await shop.answerOf('GET', `/exports/preview?connection_id=${shop.connectionId}`);
    expect(preview.data).toMatchObject([
      {
        event_id: 'order-1',
        event_name: 'Purchase',
        action_source: 'system_generated',
        dataset: '1001',
        value: '100.00',
        click_ids: ['fbclid'],
        person_fields: ['email', 'name', 'externalId'],
        refused_because: null,
      },
    ]);
    expect(JSON.stringify(preview)).not.toContain('eva@example.test');
    const stranger = await open();
    const foreign = await stranger.answerOf('GET', `/exports/preview?connection_id=${shop.connectionId}`);
    expect(foreign).toMatchObject({ error: { code: 'not_found' } });
    expect(platform.calls).toEqual([]);
    await shop.run();
    expect(platform.receivedEvents).toMatchObject([
      {
        dataset: '1001',
        event_id: 'order-1',
        event_name: 'Purchase',
        user_data: {
          em: [sha('eva@example.test')],
          fn: [sha('eva')],
          external_id: [sha('eva-1')],
          fbc: expect.stringContaining('.AbC'),
        },
        custom_data: { value: 100, currency: 'USD' },
      },
    ]);
    expect(JSON.stringify([preview, platform.receivedEvents])).not.toContain(subject);
    expect(JSON.stringify(platform.receivedEvents)).not.toContain(sha(subject.toLowerCase()));
    expect(await shop.statuses()).toEqual({
      'order-1': 'sent',
      'n-1': 'withheld not_listed',
      placed: 'withheld not_listed',
    });
    expect(await shop.announced()).toEqual([['export.completed', 1, 1]]);
    const { data } = await shop.answerOf('GET', '/exports');
    expect(data).toMatchObject([
      { status: 'completed', provider: 'social_ads', conversions: 1, sent: 1, refused: 0, unknown: 0 },
    ]);
    // Disclosure to a platform is logged like any access to personal data.
    const log = await kit.app
      .forWorkspace(shop.workspaceId)
      .transaction((tx) => tx.selectFrom('pii_access_log').selectAll().execute());
    expect(log).toContainEqual(expect.objectContaining({ operation: 'conversion_export', result: 'served' }));
    await shop.run();
    expect(platform.receivedEvents).toHaveLength(1);
  });

  test('sends the events of each target to that target only, and counts a run for each', async () => {
    const shop = await open();
    const second = await shop.addTarget({ dataset: '2002', events: { lead_created: 'Lead' } });
    await shop.pay('paid');
    await shop.pay('lead', { event_name: 'lead_created', properties: {} });
    await shop.run();
    expect(platform.receivedEvents.map(({ dataset, event_id }) => `${dataset} ${event_id}`).sort()).toEqual([
      '1001 lead',
      '1001 paid',
      '2002 lead',
    ]);
    const runs = (await shop.answerOf('GET', '/exports')).data as { connection_id: string; sent: number }[];
    expect(new Map(runs.map((one) => [one.connection_id, one.sent]))).toEqual(
      new Map([
        [shop.connectionId, 2],
        [second, 1],
      ]),
    );
    // Rejections and waits of one target do not affect the other.
    platform.receivedEvents.length = 0;
    await shop.rows(
      sql`UPDATE connections SET status = 'disconnected', credentials = NULL WHERE id = ${shop.connectionId}`,
    );
    await shop.pay('late-lead', { event_name: 'lead_created', properties: {} });
    await shop.run();
    expect(platform.receivedEvents).toMatchObject([{ dataset: '2002', event_id: 'late-lead' }]);
    expect(
      await shop.rows(sql`
        SELECT t.dataset, e.status FROM export_events e JOIN export_targets t ON t.id = e.target_id
        JOIN outcomes o ON o.id = e.outcome_id WHERE o.idempotency_key = 'late-lead' ORDER BY 1`),
    ).toEqual([
      { dataset: '1001', status: 'refused' },
      { dataset: '2002', status: 'sent' },
    ]);
  });

  test('that cannot be delivered publishes export.failed [evnt-016]', async () => {
    const shop = await open();
    await shop.pay('order-2');
    await shop.rows(
      sql`UPDATE connections SET status = 'disconnected', credentials = NULL WHERE id = ${shop.connectionId}`,
    );
    await shop.run();
    expect(await shop.statuses()).toEqual({ 'order-2': 'refused connection_gone' });
    expect(await shop.announced()).toEqual([['export.failed', 1, 0]]);
    expect((await shop.answerOf('GET', '/exports?status=failed')).data).toMatchObject([
      { reasons: { connection_gone: 1 } },
    ]);
  });

  test('a failed export to Google is reported as search_ads in its run and its event', async () => {
    const shop = await open({ channel: 'search_ads' });
    await shop.pay('order-google');
    await shop.rows(
      sql`UPDATE connections SET status = 'disconnected', credentials = NULL WHERE id = ${shop.connectionId}`,
    );
    await shop.run();
    expect((await shop.answerOf('GET', '/exports?status=failed')).data).toMatchObject([{ provider: 'search_ads' }]);
    expect(await shop.rows(sql`SELECT payload FROM outbox WHERE type = 'export.failed'`)).toMatchObject([
      { payload: { provider: 'search_ads' } },
    ]);
  });

  test('halves a rejected batch until the bad event is isolated, and does not send events that are too old', async () => {
    const shop = await open();
    for (let n = 0; n < 7; n += 1) await shop.pay(`batch-${n}`);
    const old = (days: number) => new Date(kit.clock.now().getTime() - days * 24 * hour).toISOString();
    await shop.pay('old', { occurred_at: old(8) });
    await shop.pay('old-store', { occurred_at: old(61), action_source: 'physical_store' });
    platform.poisoned.add('batch-3');
    await shop.run();
    expect(await shop.statuses()).toMatchObject({
      'batch-0': 'sent',
      'batch-3': 'refused platform_refused',
      'batch-6': 'sent',
      old: 'refused too_old',
      'old-store': 'sent',
    });
    expect(platform.receivedEvents.map(({ event_id }) => event_id).sort()).toEqual([
      'batch-0',
      'batch-1',
      'batch-2',
      'batch-4',
      'batch-5',
      'batch-6',
      'old-store',
    ]);
    expect(await shop.announced()).toEqual([['export.completed', 9, 7]]);
  });

  test('resends events with a lost response under the same id for two days, and marks them unknown after that', async () => {
    const shop = await open();
    platform.lost = 1;
    await shop.pay('lost-1');
    await shop.run();
    expect(await shop.statuses()).toEqual({ 'lost-1': 'waiting platform_away' });
    expect(await shop.announced()).toEqual([]);
    await shop.run();
    expect(await shop.statuses()).toEqual({ 'lost-1': 'sent' });
    expect(platform.receivedEvents).toHaveLength(1);
    expect(platform.calls).toEqual([1, 1]);

    platform.lost = 1;
    await shop.pay('lost-2');
    await shop.run();
    // Close to the end of the two days: a retry could reach the platform after them.
    kit.clock.advance(48 * hour - 5 * 60_000);
    await shop.run();
    expect(await shop.statuses()).toMatchObject({ 'lost-2': 'unknown answer_lost' });
    expect(platform.receivedEvents).toHaveLength(2);
    // An event that certainly did not arrive keeps its full time.
    platform.away = 1;
    await shop.pay('away');
    await shop.run();
    expect(await shop.statuses()).toMatchObject({ away: expect.stringContaining('waiting') });
    await shop.run();
    expect(await shop.statuses()).toMatchObject({ away: 'sent' });
  });

  test('waits for a platform that processes asynchronously, and resends a rejected batch in halves', async () => {
    const shop = await open({ channel: 'search_ads' });
    await shop.pay('later-1');
    await shop.pay('later-2');
    platform.tickets = ['PROCESSING', 'FAILED', 'SUCCESS', 'FAILED'];
    await shop.run();
    expect(await shop.statuses()).toEqual({ 'later-1': 'processing', 'later-2': 'processing' });
    await shop.run();
    expect(await shop.announced()).toEqual([]);
    for (let turn = 0; turn < 3; turn += 1) await shop.run();
    const statuses = Object.values(await shop.statuses()).sort();
    expect(statuses).toEqual(['refused platform_refused', 'sent']);
    expect(await shop.announced()).toEqual([['export.completed', 2, 1]]);
    platform.tickets = [];
  });

  test('a batch with one event of a ticket does not treat the rejection of the ticket as its own', async () => {
    const shop = await open({ channel: 'search_ads' });
    await shop.pay('seen');
    await shop.pay('unseen');
    platform.tickets = ['FAILED'];
    await shop.run();
    await shop.run('seen');
    expect(await shop.statuses()).toEqual({ seen: 'processing', unseen: 'processing' });
    await shop.run('seen');
    expect(await shop.statuses()).toEqual({ seen: 'sent', unseen: 'processing' });
    expect(platform.calls).toEqual([2, 1]);
  });
});

describe('the content of an exported event', () => {
  test.each(['standard', 'platform_safe', 'hipaa'] as const)(
    'keeps action_source as reported on a %s profile, and includes the page only for a website [inge-013][inge-014]',
    async (privacyMode) => {
      const scopes = ['exports:read', 'exports:write', 'attribution:write'] as const;
      const shop = await open({ privacyMode, ...(privacyMode !== 'standard' && { scopes }) });
      const sources = ['app', 'chat', 'email', 'phone_call', 'system_generated', 'other', 'physical_store'];
      for (const action_source of sources)
        await shop.pay(`as-${action_source}`, {
          action_source,
          click_ids: { fbclid: 'AbC' },
          page_url: 'https://shop.example/private?q=1',
        });
      const website = {
        action_source: 'website',
        click_ids: { fbclid: 'AbC' },
        page_url: 'https://shop.example/private?q=1',
      };
      await shop.pay('as-website', {
        ...website,
        properties: { value: '1', currency: 'USD', client_user_agent: 'Mozilla' },
      });
      await shop.run();
      const sent = Object.fromEntries(platform.receivedEvents.map((event) => [event.event_id, event]));
      for (const source of sources) {
        expect(sent[`as-${source}`]?.action_source).toBe(source);
        expect(sent[`as-${source}`]?.event_source_url).toBeUndefined();
      }
      const isStandard = privacyMode === 'standard';
      expect(sent['as-website']?.event_source_url).toBe(isStandard ? 'https://shop.example/private' : undefined);
      // No field that identifies a customer.
      const fields = new Set(platform.receivedEvents.flatMap(({ user_data }) => Object.keys(user_data)));
      expect(fields).toEqual(
        new Set(isStandard ? ['em', 'fn', 'ln', 'external_id', 'fbc', 'client_user_agent'] : ['fbc']),
      );
    },
  );

  // Tested here only: Meta requires a user agent for website events, which a private profile does not send.
  test('includes only the origin of a page on a private profile', () => {
    const page = 'https://clinic.example/private?q=1';
    const outcome = {
      ...{ id: 'o-1', idempotencyKey: 'o-1', occurredAt: kit.clock.now(), customerId: null, visitorId: null },
      ...{ amount: null, refunded: '0', currency: null, isErased: false, definitionId: 'paid' },
      ...{ uncounted: null, saleId: 'o-1', isOwn: true },
      rest: { action_source: 'website', page_url: page },
    };
    const target = { dataset: '1001', events: { payment_received: 'Purchase' } } as unknown as TargetRow;
    const sent = (isPrivate: boolean) => compose(outcome, target, () => 'payment_received', isPrivate);
    expect(sent(false)).toMatchObject({ event: { sourceUrl: 'https://clinic.example/private' } });
    expect(sent(true)).toMatchObject({ event: { sourceUrl: 'https://clinic.example/' } });
  });

  test('sends a chat from an ad to the messaging dataset; without that dataset or its click id it is an ordinary chat [inge-015][inge-016]', async () => {
    const chat = { action_source: 'business_messaging', click_ids: { ctwa_clid: 'ARxyz' } };
    const shop = await open({}, { messaging: { account_id: '77', dataset: '2002' } });
    await shop.pay('chat-1', chat);
    await shop.pay('chat-2', { action_source: 'business_messaging' });
    const without = await open();
    await without.pay('chat-3', chat);
    await shop.run();
    await without.run();
    const sent = platform.receivedEvents
      .map(({ event_id, dataset, action_source }) => [event_id, dataset, action_source])
      .sort();
    expect(sent).toEqual([
      ['chat-1', '2002', 'business_messaging'],
      ['chat-2', '1001', 'chat'],
      ['chat-3', '1001', 'chat'],
    ]);
    expect(platform.receivedEvents.find(({ event_id }) => event_id === 'chat-1')?.user_data).toMatchObject({
      ctwa_clid: 'ARxyz',
      whatsapp_business_account_id: '77',
    });
  });

  test('leaves out customers without consent and erased ones; a key with personal data is replaced by our id', async () => {
    const shop = await open();
    const click = { click_ids: { fbclid: 'AbC' } };
    await shop.pay('refused-1', {
      ...click,
      properties: { value: '1', currency: 'USD', consent: { ad_user_data: false } },
    });
    const outcomeId = await shop.pay('ana@example.test', click);
    const erased = await shop.pay('erased-1', { user_traits: { external_id: 'gone', email: 'gone@example.test' } });
    await shop.rows(sql`UPDATE outcomes SET erased_at = now() WHERE id = ${erased}`);
    await shop.run();
    const sent = Object.fromEntries(
      platform.receivedEvents.map((event) => [event.event_id, Object.keys(event.user_data)]),
    );
    expect(sent).toEqual({ 'refused-1': ['fbc'], [outcomeId]: ['em', 'fn', 'ln', 'external_id', 'fbc'] });
    expect(await shop.statuses()).toMatchObject({ 'erased-1': 'withheld erased' });
  });
});

test('derives a missing action_source from the page and the browser [inge-017]', async () => {
  const shop = await open();
  await shop.pay('guess-1');
  await shop.pay('guess-2', {
    page_url: 'https://shop.example/a',
    properties: { value: '1', currency: 'USD', client_user_agent: 'Mozilla' },
  });
  await shop.run();
  expect(platform.receivedEvents.map(({ event_id, action_source }) => [event_id, action_source]).sort()).toEqual([
    ['guess-1', 'system_generated'],
    ['guess-2', 'website'],
  ]);
});

test('after an erasure sends nothing more about the customer; what the platform already received stays there [eras-033]', async () => {
  const shop = await open();
  await shop.pay('sent-1');
  await shop.run();
  await shop.pay('later-1', { click_ids: { fbclid: 'AbC' } });
  const headers = await shop.keyWith('attribution:write');
  const { status } = await shop.ask('/api/v1/customers/erasures', headers, 'POST', {
    request_ref: 'r-1',
    identifier_type: 'external_customer_id',
    identifier_value: 'eva-1',
  });
  expect(status).toBeLessThan(300);
  await shop.run();
  expect(platform.receivedEvents.map(({ event_id }) => event_id)).toEqual(['sent-1']);
  expect(await shop.statuses()).toEqual({ 'sent-1': 'sent', 'later-1': 'withheld erased' });
});
