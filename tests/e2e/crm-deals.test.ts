import { loadSettings } from '@tributary/config';
import { rereadDeals, syncs } from '@tributary/domain/advertising/connections/module.ts';
import { createOutbound, localDevelopmentTargets } from '@tributary/outbound';
import { createProviders } from '@tributary/providers';
import { startSandbox } from '@tributary/sandbox';
import { buildApiKey, openTest, processQueue, testOutcomeServices, testVault } from '@tributary/testkit';
import { dayMs } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { completeConsent } from '../../apps/sandbox/testing.ts';
import { openBrowser, openShop, returnUrl } from '../../domain/advertising/handoffs/handoffs.fixture.ts';

const location = 'locSantiago';
const sandbox = await startSandbox({
  now: () => kit.clock.now(),
  market: { people: 900, start: '2026-01-01', days: 30 },
});
afterAll(() => sandbox.close());
const providers = createProviders(loadSettings({ ...sandbox.settings, PROVIDER_LOCAL_HOSTS: '127.0.0.1' }));
const providerOutbound = createOutbound({ timeoutMs: 10_000, policy: localDevelopmentTargets });
afterAll(() => providerOutbound.close());
const { kit, api } = await openTest({ providers, providerOutbound });
kit.clock.set('2026-03-10T12:00:00Z');
const stores = { app: kit.app, system: kit.system, now: () => kit.clock.now(), vault: testVault };
const reader = syncs({ ...stores, providers, providerOutbound, random: () => 0, outcomes: testOutcomeServices });

const endings = { open: undefined, won: 'closed_won', lost: 'deal_lost', abandoned: 'deal_abandoned' } as const;

/** The outcomes that the CRM has shown so far: one per deal and type, with the latest date and value. */
class ExpectedLedger {
  readonly #rows = new Map<string, { deal: string; type: string; at: string; amount: string | null }>();
  readonly mapping = new Map<string, string>();

  readBook(): void {
    for (const deal of dealsOfLocation()) {
      const amount = deal.monetaryValue === null ? null : String(deal.monetaryValue);
      const put = (type: string | undefined, at: string) =>
        type && this.#rows.set(`${deal.id}/${type}`, { deal: deal.id, type, at, amount });
      const [staged, ended] = [this.mapping.get(deal.pipelineStageId), endings[deal.status]];
      if (staged !== ended) put(staged, deal.lastStageChangeAt);
      put(ended, deal.lastStatusChangeAt);
    }
  }

  get rows() {
    return [...this.#rows.values()].sort((a, b) => (`${a.deal}/${a.type}` < `${b.deal}/${b.type}` ? -1 : 1));
  }
}

const dealsOfLocation = () => sandbox.book.highlevel.deals.filter(({ locationId }) => locationId === location);

/** Connects a location with a merchant's consent, and returns helpers for the worker and the API. */
async function connect() {
  const shop = await openShop(kit, api);
  const { data: handoff } = await shop.mint('crm_a', { return_url: returnUrl });
  const browser = openBrowser(api);
  const { to: consentUrl = '' } = await browser.open(handoff.start_url);
  const answer = await completeConsent(consentUrl, { accounts: [location] });
  const callback = new URL(new URL(consentUrl).searchParams.get('redirect_uri') ?? '');
  callback.search = new URLSearchParams(answer).toString();
  await browser.open(callback.href);
  const { connection_id: id } = (await shop.read(handoff.id)).result;
  const goals = await buildApiKey(kit.app, shop.id, { scopes: ['goals:write'] });
  const ledger = kit.app.forProfile(shop.id);
  const rows = async <Row>(statement: ReturnType<typeof sql<Row>>) =>
    (await ledger.transaction((tx) => statement.execute(tx))).rows;
  return {
    shop,
    rows,
    stages: async () => (await shop.call('GET', '/api/v1/connections/crm_a/stages?locale=es')).data.stages,
    async map(definitionId: string, event_key: string) {
      const url = `/api/v1/outcome-definitions/${definitionId}`;
      const response = await api.call({ method: 'PATCH', url, headers: goals.headers, payload: { event_key } });
      expect(response.statusCode).toBe(200);
      await rereadDeals(kit.app, { profileId: shop.id }, kit.clock.now());
    },
    async sync() {
      await kit.owner.unbound.query(sql`UPDATE syncs SET due_at = '2020-01-01' WHERE connection_id = ${id}`);
      await processQueue(kit.system, 'syncs', reader, id);
      return (await shop.call('GET', `/api/v1/connections/${id}`)).data;
    },
    recorded: () =>
      rows(sql<{ deal: string; type: string; at: string; amount: string | null }>`
        SELECT external_id AS deal, event_key AS type, to_json(occurred_at AT TIME ZONE 'UTC') #>> '{}' AS at, amount::text
        FROM outcomes ORDER BY external_id || '/' || event_key COLLATE "C"`),
  };
}

const atMs = (row: { at: string }) => ({ ...row, at: Date.parse(row.at.endsWith('Z') ? row.at : `${row.at}Z`) });

test('after the first sync, keys with either scope read stages with suggestion, mapping and whether it can be changed [conn-025] [conn-028]', async () => {
  const { shop, sync } = await connect();
  await sync();
  for (const scope of ['connections:read', 'analytics:read'] as const) {
    const { headers } = await buildApiKey(kit.app, shop.id, { scopes: [scope] });
    const answer = await api.call({ method: 'GET', url: '/api/v1/connections/crm_a/stages', headers });
    const { stages } = answer.json().data;
    expect(stages.length).toBeGreaterThanOrEqual(5);
    for (const { suggested, current, can_write } of stages)
      expect([current, can_write]).toEqual([
        suggested ? { event_key: suggested, source: 'suggested' } : { event_key: 'unmapped', source: 'engine_default' },
        false,
      ]);
    expect(stages.some((stage: { suggested: string | null }) => stage.suggested !== null)).toBe(true);
  }
});

test('deals that move through all mapped stages, reopen and are won after all are recorded once per type [conn-053] [conn-054] [evnt-030]', async () => {
  const { shop, rows, stages, map, sync, recorded } = await connect();
  const expected = new ExpectedLedger();
  const [pipeline] = [...new Set(dealsOfLocation().map(({ pipelineId }) => pipelineId))];
  const stageIds = [0, 1, 2, 3, 4].map((position) => `${pipeline}-${position}`);
  const compare = async () => {
    expect(await sync()).toMatchObject({ status: 'connected', sync: { state: 'idle', last_error: null } });
    expected.readBook();
    expect((await recorded()).map(atMs)).toEqual(expected.rows.map(atMs));
  };

  // The first sync runs before a user has viewed the stages, and maps them as their names suggest.
  const suggested = ['lead_created', null, 'appointment_booked', 'quote_sent', 'closed_won'];
  for (const [position, type] of suggested.entries()) if (type) expected.mapping.set(stageIds[position] ?? '', type);
  await compare();
  const shown: { id: string; definition_id: string; current: object }[] = (await stages()).filter(
    (stage: { pipeline: { id: string } }) => stage.pipeline.id === pipeline,
  );
  expect(shown.map(({ current }) => current)).toEqual(
    suggested.map((type) =>
      type ? { event_key: type, source: 'suggested' } : { event_key: 'unmapped', source: 'engine_default' },
    ),
  );

  await map(shown[1]?.definition_id ?? '', 'messaging_started');
  expected.mapping.set(stageIds[1] ?? '', 'messaging_started');
  await compare();

  const open = dealsOfLocation().filter(({ status }) => status === 'open');
  const [walks, reopens, ...others] = open;
  const lost = dealsOfLocation().find(({ status }) => status === 'lost');
  const abandoned = dealsOfLocation().find(({ status }) => status === 'abandoned');
  const change = (deal: { id: string } | undefined, to: Parameters<typeof sandbox.book.highlevel.change>[1]) =>
    sandbox.book.highlevel.change(deal?.id ?? '', to);
  for (const stage of stageIds) {
    kit.clock.advance(dayMs / 4);
    change(walks, { pipelineStageId: stage });
    change(others[0], { pipelineStageId: stageIds[(stageIds.indexOf(stage) + 2) % 5] ?? '' });
    await compare();
  }
  const steps = [
    () => change(reopens, { status: 'won' }),
    () => change(reopens, { status: 'open' }),
    () => change(reopens, { status: 'lost' }),
    () => [reopens, lost, abandoned].map((deal) => change(deal, { status: 'won', monetaryValue: 777.5 })),
    () => change(walks, { status: 'won' }),
  ];
  for (const step of steps) {
    kit.clock.advance(dayMs / 4);
    step();
    await compare();
  }
  expect((await recorded()).filter(({ deal }) => deal === walks?.id).map(({ type }) => type)).toEqual([
    'appointment_booked',
    'closed_won',
    'lead_created',
    'messaging_started',
    'quote_sent',
  ]);

  // One event per outcome, with the deal's id, however often the deal was read.
  const events = await rows(sql<{ id: string; deal: string; type: string }>`
    SELECT id, payload ->> 'external_id' AS deal, payload ->> 'outcome_type' AS type FROM outbox
    WHERE type = 'outcome.recorded' AND profile_id = ${shop.id}`);
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  expect(events.map(({ deal, type }) => `${deal}/${type}`).sort()).toEqual(
    expected.rows.map(({ deal, type }) => `${deal}/${type}`).sort(),
  );
}, 120_000);

test('deals of two pipelines that are won twice, merged or deleted are recorded once per type, and every webhook makes a sync due', async () => {
  const { shop, rows, stages, map, sync, recorded } = await connect();
  const expected = new ExpectedLedger();
  const { highlevel } = sandbox.book;
  const [sales, services] = ['ventas', 'servicios'].map((name) => `${location}-${name}`) as [string, string];
  expected.mapping.set(`${sales}-0`, 'lead_created');
  expected.mapping.set(`${sales}-2`, 'appointment_booked');
  expected.mapping.set(`${sales}-3`, 'quote_sent');
  expected.mapping.set(`${sales}-4`, 'closed_won');
  expected.mapping.set(`${services}-0`, 'lead_created');
  expected.mapping.set(`${services}-1`, 'appointment_booked');
  const compare = async () => {
    expect(await sync()).toMatchObject({ status: 'connected', sync: { state: 'idle', last_error: null } });
    expected.readBook();
    expect((await recorded()).map(atMs)).toEqual(expected.rows.map(atMs));
  };
  await compare();
  const waiting = (await stages()).find(({ id }: { id: string }) => id === `${services}-2`);
  expect(waiting).toMatchObject({ pipeline: { name: 'Servicios' }, current: { event_key: 'unmapped' } });
  await map(waiting.definition_id, 'messaging_started');
  expected.mapping.set(`${services}-2`, 'messaging_started');
  await compare();

  /** Sends the CRM's signed webhook, which makes the connection's sync due immediately. */
  const notify = async (type: string, id: string) => {
    await rows(sql`UPDATE syncs SET due_at = 'infinity'`);
    const { headers, body } = highlevel.webhook({ type, locationId: location, id });
    const url = '/hooks/crm_a';
    const sent = await api.fastify.inject({ method: 'POST', url, headers, payload: Buffer.from(body) });
    expect(sent.statusCode).toBe(204);
    expect(await rows(sql`SELECT due_at <= ${kit.clock.now()} AS "isDue" FROM syncs`)).toEqual([{ isDue: true }]);
  };
  const open = dealsOfLocation().filter(({ status, contact }) => status === 'open' && contact);
  const [moves, wins, survivor, absorbed, deleted] = open.map(({ id }) => id) as [
    string,
    string,
    string,
    string,
    string,
  ];
  const lost = dealsOfLocation().find(({ status }) => status === 'lost')?.id ?? '';
  const steps: readonly (readonly [string, string, () => void])[] = [
    ...[0, 1, 2].map(
      (stage) =>
        [
          'OpportunityStageUpdate',
          moves,
          () => highlevel.change(moves, { pipelineId: services, pipelineStageId: `${services}-${stage}` }),
        ] as const,
    ),
    ['OpportunityStatusUpdate', wins, () => highlevel.change(wins, { status: 'won', monetaryValue: 100 })],
    ['OpportunityStatusUpdate', wins, () => highlevel.change(wins, { status: 'open' })],
    ['OpportunityStatusUpdate', wins, () => highlevel.change(wins, { status: 'won', monetaryValue: 250.5 })],
    ['OpportunityStatusUpdate', lost, () => highlevel.change(lost, { status: 'won' })],
    // Merging two contacts leaves one deal with the other deal's contact.
    ['ContactUpdate', survivor, () => highlevel.change(survivor, { contact: dealOf(absorbed)?.contact ?? null })],
    ['OpportunityDelete', absorbed, () => highlevel.remove(absorbed)],
    ['OpportunityStatusUpdate', deleted, () => highlevel.change(deleted, { status: 'won' })],
    ['OpportunityDelete', deleted, () => highlevel.remove(deleted)],
  ];
  for (const [type, id, step] of steps) {
    kit.clock.advance(dayMs / 4);
    step();
    await notify(type, id);
    await compare();
  }
  const typesOf = async (id: string) => (await recorded()).filter(({ deal }) => deal === id).map(({ type }) => type);
  expect(await typesOf(lost)).toEqual(expect.arrayContaining(['closed_won', 'deal_lost']));
  expect((await typesOf(wins)).filter((type) => type === 'closed_won')).toHaveLength(1);
  // Outcomes of a deal that was deleted later stay in the ledger.
  expect(await typesOf(deleted)).toContain('closed_won');
  const events = await rows(sql<{ name: string }>`
    SELECT (payload ->> 'external_id') || '/' || (payload ->> 'outcome_type') AS name FROM outbox
    WHERE type = 'outcome.recorded' AND profile_id = ${shop.id}`);
  expect(events.map(({ name }) => name).sort()).toEqual(
    expected.rows.map(({ deal, type }) => `${deal}/${type}`).sort(),
  );
}, 120_000);

const dealOf = (id: string) => dealsOfLocation().find((deal) => deal.id === id);
