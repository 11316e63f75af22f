import type { TouchRow, VisitRow } from '@tributary/clickhouse';
import { entityIdOf } from '@tributary/rules';
import { buildProfile, buildTrackingKey, openTestWithClickHouse } from '@tributary/testkit';
import { nilUuid } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { describe, expect, test } from 'vitest';
import { openVisitImporter } from './import-visits.ts';
import { delivered, messageOf, openTestIngestion, person, robot } from './ingestion.fixture.ts';
import { openPipeline } from './pipeline.fixture.ts';
import { pipeline } from './pipeline.ts';

const { kit, clickhouse } = await openTestWithClickHouse();
const { ingestion, visit, send, rowsOf, inLedger, linksOf, identifiersOf, newCustomer } = openPipeline(kit, clickhouse);

describe('a visit', () => {
  test('is stored with its source, and as a touch with its ad', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const one = visit({
      url: 'https://shop.example/shoes?utm_source=facebook&utm_medium=paid_social&campaign_id=120200000000000001&fbclid=AbCdEfGhIjKlMnOp',
      referrer: 'https://l.facebook.com/',
    });
    await send({ profileId, visits: [one] });
    const [row, ...more] = await rowsOf<VisitRow>('visits', profileId);
    expect(more).toEqual([]);
    expect(row).toMatchObject({
      visit_id: one.id,
      occurred_at: one.at,
      channel: 'paid_social',
      click_id_kind: 'fbclid',
      event_type: 'page_view',
      path: '/shoes',
      country: 'CL',
      region: 'CL-RM',
      city: 'Santiago',
      browser: 'Firefox',
    });
    expect(JSON.stringify(row)).not.toContain('AbCdEfGhIjKlMnOp');
    const [touch] = await rowsOf<TouchRow>('touches', profileId);
    expect(touch).toMatchObject({
      touch_id: one.id,
      visitor_id: row?.visitor_id,
      occurred_at: one.at,
      kind: 'visit',
      channel: 'paid_social',
      campaign_id: entityIdOf(profileId, String(row?.platform), 'campaign', '120200000000000001'),
      ad_id: nilUuid,
      join_method: 'url_parameters',
    });
  });

  test('gets a visitor id that differs from the browser’s id, is stable, and differs between profiles', async () => {
    const [here, there] = [await buildProfile(kit.app), await buildProfile(kit.app)];
    const client_id = uuid();
    for (const { id: profileId } of [here, here, there]) await send({ profileId, client_id, visits: [visit()] });
    const ids = async (profileId: string) => (await rowsOf<VisitRow>('visits', profileId)).map((row) => row.visitor_id);
    const [first, second] = await ids(here.id);
    expect(first).toBe(second);
    expect(await ids(there.id)).not.toContain(first);
    expect(first).not.toBe(client_id);
  });

  test('from the profile’s own or redirect hosts is not a touch', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    await buildTrackingKey(kit.app, profileId, { ownHosts: ['partner.example'], redirectHosts: ['pay.example'] });
    const url = 'https://shop.example/';
    await send({
      profileId,
      visits: [visit({ url, referrer: 'https://partner.example/' }), visit({ url, referrer: 'https://pay.example/' })],
    });
    expect(await rowsOf('visits', profileId)).toHaveLength(2);
    expect(await rowsOf('touches', profileId)).toHaveLength(0);
  });

  test('of a bot is stored and marked, and creates no touch, link or outcome', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    await send({
      profileId,
      user_agent: robot,
      visits: [
        visit(),
        visit({ type: 'track', name: 'lead_created' }),
        visit({ type: 'identify', traits: { email: 'bot@example.com' } }),
      ],
    });
    const rows = await rowsOf<VisitRow>('visits', profileId);
    expect(rows.map(({ is_bot }) => is_bot)).toEqual([true, true, true]);
    expect(await rowsOf('touches', profileId)).toEqual([]);
    expect(await linksOf(profileId)).toEqual([]);
    expect(await inLedger(profileId, sql`SELECT FROM outcomes`)).toEqual([]);
  });

  test('of a deleted profile is dropped', async () => {
    const profileId = uuid();
    await send({ profileId, visits: [visit(), null] });
    expect(await rowsOf('visits', profileId)).toEqual([]);
  });

  test('with a nonce verifies the installation', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const seen: string[] = [];
    const noting = openTestIngestion(kit.app, clickhouse, () => kit.clock.now(), {
      markVerified: async (_tx, profile, nonce) => void seen.push(`${profile} ${nonce}`),
    });
    await send(
      { profileId, visits: [visit({ verification: 'n-1' }), visit({ verification: 'n-1' }), visit()] },
      noting,
    );
    expect(seen).toEqual([`${profileId} n-1`]);
  });
});

describe('a browser that identifies itself', () => {
  const identify = (traits: Record<string, string>, changes = {}) => visit({ type: 'identify', traits, ...changes });

  test('is linked to the customer with the identifier, and adds nothing to the customer', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const customerId = await newCustomer(profileId, ['email', 'ada@example.com']);
    await send({
      profileId,
      visits: [identify({ email: ' Ada@Example.com', phone: '+56912345678', first_name: 'Eve' })],
    });
    expect(await linksOf(profileId)).toMatchObject([{ customer_id: customerId, source: 'identify' }]);
    expect(await identifiersOf(profileId)).toMatchObject([{ kind: 'email', value: 'ada@example.com' }]);
    const [customer] = await inLedger(profileId, sql<{ first_name: string | null }>`SELECT first_name FROM customers`);
    expect(customer?.first_name).toBeNull();
  });

  test('never merges two customers', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const byEmail = await newCustomer(profileId, ['email', 'ada@example.com']);
    await newCustomer(profileId, ['external_customer_id', 'c-1']);
    await send({ profileId, visits: [identify({ email: 'ada@example.com', phone: '+56912345678' })] });
    await send({ profileId, visits: [identify({ email: 'ada@example.com', external_id: 'c-1' })] });
    expect(await inLedger(profileId, sql`SELECT FROM customers WHERE merged_into IS NOT NULL`)).toEqual([]);
    expect(await identifiersOf(profileId)).toHaveLength(2);
    expect((await linksOf(profileId)).map((link) => link.customer_id)).toContain(byEmail);
  });

  test('creates a customer with its strongest identifier if none matches, which a later browser reuses', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const traits = { email: 'new@example.com', phone: '+56912345678' };
    await send({ profileId, visits: [identify(traits)] });
    await send({ profileId, visits: [identify({ email: 'new@example.com' })] });
    expect(await identifiersOf(profileId)).toMatchObject([{ kind: 'email', value: 'new@example.com' }]);
    const links = await linksOf(profileId);
    expect(new Set(links.map((link) => link.customer_id)).size).toBe(1);
    expect(links).toHaveLength(2);
  });

  test('creates one customer for two browsers with the same identifier in one batch', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const both = [1, 2].map(() =>
      delivered(
        messageOf({ profileId, receivedAt: kit.clock.now(), visits: [identify({ email: 'both@example.com' })] }),
      ),
    );
    await pipeline(ingestion)(both);
    expect(await identifiersOf(profileId)).toHaveLength(1);
    expect(new Set((await linksOf(profileId)).map((link) => link.customer_id)).size).toBe(1);
  });

  test('stays linked to its first customer, whatever it claims later', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const client_id = uuid();
    await send({ profileId, client_id, visits: [identify({ email: 'first@example.com' })] });
    const [before] = await linksOf(profileId);
    await send({ profileId, client_id, visits: [identify({ email: 'second@example.com' })] });
    expect(await linksOf(profileId)).toEqual([before]);
    expect(await identifiersOf(profileId)).toHaveLength(1);
  });

  test('is linked by its link token rather than by its own claim', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const customerId = await newCustomer(profileId, ['email', 'ada@example.com']);
    const resolving = openTestIngestion(kit.app, clickhouse, () => kit.clock.now(), {
      readLinkToken: (_profile, token) => (token === 'good' ? customerId : undefined),
    });
    await send({ profileId, visits: [visit({ link_token: 'bad' })] }, resolving);
    expect(await linksOf(profileId)).toEqual([]);
    await send({ profileId, visits: [identify({ email: 'eve@example.com' }, { link_token: 'good' })] }, resolving);
    expect(await linksOf(profileId)).toMatchObject([{ customer_id: customerId, source: 'link_token' }]);
  });

  test('marks the customer’s conversions for recalculation because of its earlier touches', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const client_id = uuid();
    const customerId = await newCustomer(profileId, ['email', 'ada@example.com']);
    const outcomeId = uuid();
    const at = kit.clock.now();
    await inLedger(
      profileId,
      sql`INSERT INTO outcomes (profile_id, id, idempotency_key, event_name, event_type, event_key, event_type_key, customer_id,
        occurred_at, recorded_at, updated_at, rest) VALUES (${profileId}, ${outcomeId}, 'k', 'x', 'x', 'x', 'x', ${customerId}, ${at}, ${at}, ${at}, '{}')`,
    );
    await send({ profileId, client_id, visits: [visit()] });
    expect(await inLedger(profileId, sql`SELECT FROM dirty_conversions`)).toEqual([]);
    await send({ profileId, client_id, visits: [identify({ email: 'ada@example.com' })] });
    expect(await inLedger(profileId, sql`SELECT outcome_id, causes FROM dirty_conversions`)).toEqual([
      { outcome_id: outcomeId, causes: ['link'] },
    ]);
  });
});

describe('a browser event', () => {
  const outcomesOf = (profileId: string) =>
    inLedger(
      profileId,
      sql<
        Record<string, unknown>
      >`SELECT idempotency_key, event_name, amount, visitor_id, customer_id, region, rest FROM outcomes ORDER BY idempotency_key`,
    );

  test('that a definition lists becomes one outcome of its browser, without money', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const lead = visit({
      type: 'track',
      name: 'Lead_Created',
      properties: { value: 99, currency: 'USD', plan: 'pro' },
    });
    const other = visit({ type: 'track', name: 'scrolled' });
    for (let time = 0; time < 2; time += 1)
      await send({ profileId, client_id: '01890000-0000-7000-8000-000000000001', visits: [lead, other] });
    const [row] = await rowsOf<VisitRow>('visits', profileId);
    expect(await outcomesOf(profileId)).toEqual([
      {
        idempotency_key: `visit:${lead.id}`,
        event_name: 'Lead_Created',
        amount: null,
        visitor_id: row?.visitor_id,
        customer_id: null,
        region: 'CL-RM',
        rest: expect.objectContaining({ properties: { plan: 'pro' }, action_source: 'website' }),
      },
    ]);
  });

  test('never counts as cash', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    await send({ profileId, visits: [visit({ type: 'track', name: 'payment_received', properties: { value: 10 } })] });
    expect(await outcomesOf(profileId)).toEqual([]);
  });

  test('belongs to its browser’s customer, even if both arrive in one batch', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const customerId = await newCustomer(profileId, ['email', 'ada@example.com']);
    await send({
      profileId,
      visits: [
        visit({ type: 'track', name: 'lead_created' }),
        visit({ type: 'identify', traits: { email: 'ada@example.com' } }),
      ],
    });
    expect(await outcomesOf(profileId)).toMatchObject([{ customer_id: customerId }]);
  });

  test('is marked for recalculation when an earlier touch arrives late', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const client_id = uuid();
    await send({
      profileId,
      client_id,
      visits: [visit({ type: 'track', name: 'lead_created', is_session_start: false })],
    });
    await inLedger(profileId, sql`DELETE FROM dirty_conversions`);
    const anHourAgo = new Date(kit.clock.now().getTime() - 3_600_000).toISOString();
    await send({ profileId, client_id: uuid(), visits: [visit({ at: anHourAgo })] });
    expect(await inLedger(profileId, sql`SELECT FROM dirty_conversions`)).toEqual([]);
    await send({ profileId, client_id, visits: [visit({ at: anHourAgo })] });
    expect(await inLedger(profileId, sql`SELECT causes FROM dirty_conversions`)).toEqual([{ causes: ['late_visit'] }]);
  });

  test('is marked for recalculation when a touch of the same time arrives late from a linked browser', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const client_id = uuid();
    const at = kit.clock.now().toISOString();
    const fields = { at, is_session_start: false };
    await send({
      profileId,
      client_id,
      visits: [
        visit({ ...fields, type: 'identify', traits: { email: 'ada@example.com' } }),
        visit({ ...fields, type: 'track', name: 'lead_created' }),
      ],
    });
    await inLedger(profileId, sql`DELETE FROM dirty_conversions`);
    await send({ profileId, client_id, visits: [visit({ at })] });
    expect(await inLedger(profileId, sql`SELECT causes FROM dirty_conversions`)).toEqual([{ causes: ['late_visit'] }]);
  });
});

describe('an imported visit', () => {
  const intake = { isConsentRequired: false, keepsCity: true, agentOf: () => person };

  test('produces the same row, touch and link as the collector and the pipeline', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const client_id = uuid();
    const url =
      'https://shop.example/shoes?utm_source=facebook&utm_medium=paid_social&campaign_id=120200000000000001&fbclid=AbCdEfGhIjKlMnOp';
    const landing = visit({ url, referrer: 'https://l.facebook.com/' });
    const identify = visit({
      type: 'identify',
      is_session_start: false,
      url: 'https://shop.example/',
      traits: { external_id: 'c-1' },
    });
    const importer = await openVisitImporter(ingestion, profileId, intake);
    const cells = ({ id, at, type, session_id, is_session_start, url, referrer }: Record<string, unknown>) => ({
      client_id,
      visit_id: String(id),
      occurred_at: String(at),
      type: String(type),
      session_id: String(session_id),
      is_session_start: String(is_session_start),
      url: String(url),
      referrer: String(referrer ?? ''),
      country: 'CL',
      region: 'CL-RM',
      city: 'Santiago',
    });
    const rows = [
      { line: 2, cells: cells(landing) },
      { line: 3, cells: { ...cells(identify), external_id: 'c-1' } },
    ];
    expect(await importer?.read(rows)()).toEqual({ imported: 2, rejected: [] });
    const stored = async () => ({
      visits: await rowsOf<VisitRow>('visits', profileId),
      touches: await rowsOf<TouchRow>('touches', profileId),
      links: await linksOf(profileId),
    });
    const imported = await stored();
    expect([imported.visits.length, imported.touches.length, imported.links.length]).toEqual([2, 1, 1]);
    await send({ profileId, client_id, visits: [landing, identify] });
    expect(await stored()).toEqual(imported);
  });

  test('is refused for the same reasons as by the collector, and needs no tracker ids', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const importer = await openVisitImporter(ingestion, profileId, { ...intake, isConsentRequired: true });
    const good = {
      client_id: 'GA1.2',
      occurred_at: '2026-01-05 12:00:00+01:00',
      url: 'https://shop.example/',
      consent: 'yes',
    };
    const bad: Record<string, string>[] = [
      {},
      { ...good, occurred_at: '2026-01-05 12:00:00' },
      { ...good, occurred_at: '2026-02-30T12:00:00Z' },
      { ...good, occurred_at: '2999-01-01T00:00:00Z' },
      { ...good, consent: '' },
      { ...good, type: 'click' },
      { ...good, url: 'shop' },
      { ...good, name: 'x' },
      { ...good, email: 'ana@example.com' },
      { ...good, country: 'Chile' },
    ];
    const rows = [good, { ...good }, ...bad].map((cells, at) => ({ line: at + 2, cells }));
    const { imported, rejected } = (await importer?.read(rows)()) ?? { imported: 0, rejected: [] };
    expect(imported).toBe(2);
    expect(rejected.map(({ line, field }) => [line, field])).toEqual(
      'client_id occurred_at occurred_at occurred_at consent type url name external_id country'
        .split(' ')
        .map((field, at) => [at + 4, field]),
    );
    // The same row twice is one visit.
    expect(await rowsOf<VisitRow>('visits', profileId)).toMatchObject([
      { occurred_at: '2026-01-05T11:00:00.000Z', received_at: '2026-01-05T11:00:00.000Z', country: 'ZZ' },
    ]);
  });
});
