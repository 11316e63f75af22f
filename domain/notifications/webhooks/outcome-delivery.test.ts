import { disableApp } from '@tributary/domain/tenancy/credentials/module.ts';
import { operatorOf } from '@tributary/testkit';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { openShop, openWebhooks, startReceiver } from './webhooks.fixture.ts';

const { kit, api, deliver, happen, tell } = await openWebhooks();
const receiver = await startReceiver();
beforeEach(() => {
  receiver.received.length = 0;
  receiver.answer = (_request, response) => void response.writeHead(204).end();
});

const usd = (amount: string) => ({ amount, currency: 'USD' });

describe('an outcome', () => {
  const outcomes = { events: ['outcome.recorded'] };
  const grant = (shop: { id: string; appId: string }, scopes: string[] | null) =>
    kit.app.forProfile(shop.id).transaction((tx) =>
      sql`UPDATE grants SET oauth_scopes = ${scopes ?? []}::text[], revoked_at = ${scopes ? null : kit.clock.now()}
        WHERE profile_id = ${shop.id} AND app_id = ${shop.appId}`.execute(tx),
    );
  const statesOf = (profileId: string) =>
    kit.app
      .forProfile(profileId)
      .transaction((tx) =>
        tx.selectFrom('webhook_deliveries').select(['event_type', 'status']).orderBy('event_type').execute(),
      );

  test('[evnt-018] [evnt-021] [evnt-023] [evnt-032] is delivered with its customer when the grant covers personal data, and the access is logged', async () => {
    const shop = await openShop(kit, api);
    await shop.subscribe(receiver.url, outcomes);
    await tell(shop.id, { externalId: 'opportunity-1', key: 'c-17' });
    await deliver();
    const [event] = receiver.events();
    const at = kit.clock.now().toISOString();
    expect(event).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: 'outcome.recorded',
      occurred_at: at,
      app_id: shop.appId,
      provider: 'service',
      connection_id: null,
      data: {
        profile_id: shop.id,
        provider: 'crm_a',
        outcome_type: 'lead_created',
        occurred_at: at,
        recorded_at: at,
        external_id: 'opportunity-1',
        value: null,
        customer_key: 'c-17',
        contact: { first_name: 'Ana', last_name: null, email: 'ana@example.com', phone: null },
        contact_withheld: false,
      },
    });
    const [delivery] = await shop.deliveries();
    expect(JSON.stringify(delivery)).not.toContain('ana@example.com');
    const log = await kit.app
      .forWorkspace(shop.workspaceId)
      .transaction((tx) =>
        tx.selectFrom('pii_access_log').selectAll().where('operation', '=', 'outcome.recorded').execute(),
      );
    expect(log).toMatchObject([{ actor_kind: 'app', actor_id: shop.appId, people: 1, result: 'served' }]);
  });

  const noContact = { contact: null, contact_withheld: false };
  const ana = { first_name: 'Ana', last_name: 'Rojas', email: 'ana@example.com', phone: '+56987654321' };
  const contact = { lastName: 'Rojas', phone: '+56987654321' };
  test.each([
    [
      '[conv-005] [evnt-001] [evnt-022] a lead of the CRM',
      { provider: 'crm_a', externalId: 'opportunity-9', ...contact },
      { outcome_type: 'lead_created', value: null, contact: ana, contact_withheld: false },
    ],
    [
      '[evnt-024] [evnt-025] [evnt-026] [evnt-027] a payment',
      { provider: 'payments_a', externalId: 'ch_1', outcomeType: 'payment_received', money: usd('120.50'), ...contact },
      { outcome_type: 'payment_received', value: 120.5, contact: ana, contact_withheld: false },
    ],
    [
      '[evnt-028] [evnt-029] a transfer without a customer',
      { provider: 'bank_link', externalId: 'mov_7', outcomeType: 'payment_received', money: usd('9'), email: null },
      { outcome_type: 'payment_received', value: 9, ...noContact },
    ],
  ] as const)('%s is delivered as outcome.recorded with the provider’s fields', async (_, reported, expected) => {
    const shop = await openShop(kit, api);
    await shop.subscribe(receiver.url, outcomes);
    await tell(shop.id, reported);
    await deliver();
    expect(receiver.events()).toMatchObject([
      {
        id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
        type: 'outcome.recorded',
        provider: 'service',
        connection_id: null,
        data: { provider: reported.provider, external_id: reported.externalId, ...expected },
      },
    ]);
  });

  test('[evnt-033] [evnt-034] without customers:read has no contact, and a key only if it is opaque', async () => {
    const shop = await openShop(kit, api);
    await grant(shop, ['analytics', 'connections']);
    await shop.subscribe(receiver.url, outcomes);
    for (const [key, email] of [
      ['c-17', 'a@example.com'],
      ['ana@example.com', 'b@example.com'],
      ['+56 9 8765 4321', 'c@example.com'],
    ] as const) {
      await tell(shop.id, { key, email });
      await deliver();
    }
    expect(receiver.events().map(({ data }) => [data.customer_key, data.contact, data.contact_withheld])).toEqual([
      ['c-17', null, true],
      [null, null, true],
      [null, null, true],
    ]);
  });

  test('[evnt-033] carries the provider’s customer id if the app sent no key, and never personal data', async () => {
    const shop = await openShop(kit, api);
    await grant(shop, ['analytics', 'connections']);
    await shop.subscribe(receiver.url, outcomes);
    const ids = (kind: 'crm_contact_id' | 'payments_customer_id' | 'store_customer_id', value: string) => ({
      providerIds: [{ kind, value }],
    });
    const tellAndDeliver = async (reported: Parameters<typeof tell>[1]) => {
      await tell(shop.id, reported);
      await deliver();
    };
    await tellAndDeliver({ email: 'a@example.com', ...ids('crm_contact_id', 'contact-8Zk2') });
    await tellAndDeliver({ email: 'b@example.com', provider: 'payments_a', ...ids('payments_customer_id', 'cus_N9') });
    await tellAndDeliver({ email: 'c@example.com', provider: 'store', ...ids('store_customer_id', '7710') });
    await tellAndDeliver({ email: 'd@example.com', key: 'c-17', ...ids('crm_contact_id', 'contact-9') });
    await tellAndDeliver({ email: 'e@example.com', key: 'e@example.com', ...ids('crm_contact_id', 'contact-10') });
    await tellAndDeliver({ email: 'f@example.com', ...ids('crm_contact_id', 'f@example.com') });
    await tellAndDeliver({ email: 'g@example.com', ...ids('crm_contact_id', '+56 9 8765 4321') });
    // Another provider's id is of no use to a reader of this provider's events.
    await tellAndDeliver({ email: 'h@example.com', ...ids('store_customer_id', '7711') });
    expect(receiver.events().map(({ data }) => [data.customer_key, data.contact_withheld])).toEqual([
      ['contact-8Zk2', true],
      ['cus_N9', true],
      ['7710', true],
      ['c-17', true],
      ['contact-10', true],
      [null, true],
      [null, true],
      [null, true],
    ]);
  });

  test.each([
    ['[evnt-031] no live grant', (shop: { id: string; appId: string }) => grant(shop, null)],
    [
      '[evnt-036] the profile became a healthcare one',
      (shop: { id: string }) =>
        kit.app
          .forProfile(shop.id)
          .transaction((tx) => sql`UPDATE profiles SET privacy_mode = 'hipaa' WHERE id = ${shop.id}`.execute(tx)),
    ],
  ])('is withheld, while an event without a customer is sent: %s', async (_, change) => {
    const shop = await openShop(kit, api);
    await shop.subscribe(receiver.url, { events: ['outcome.recorded', 'recompute.completed'] });
    await tell(shop.id);
    await happen(shop.id);
    await change(shop);
    await deliver();
    expect(receiver.events().map(({ type }) => type)).toEqual(['recompute.completed']);
    expect(await statesOf(shop.id)).toEqual([
      { event_type: 'outcome.recorded', status: 'withheld' },
      { event_type: 'recompute.completed', status: 'delivered' },
    ]);
  });

  test('is withheld like every other event once its app is disabled', async () => {
    const shop = await openShop(kit, api);
    await shop.subscribe(receiver.url, { events: ['outcome.recorded', 'recompute.completed'] });
    await tell(shop.id);
    await happen(shop.id);
    await disableApp(operatorOf(kit), shop.appId);
    await deliver();
    expect(receiver.received).toEqual([]);
    expect((await statesOf(shop.id)).map(({ status }) => status)).toEqual(['withheld', 'withheld']);
  });

  test('[evnt-035] is retried without customer data after an erasure', async () => {
    const shop = await openShop(kit, api);
    await shop.subscribe(receiver.url, outcomes);
    receiver.answer = (_request, response) => void response.writeHead(500).end();
    const outcomeId = await tell(shop.id, { key: 'c-17' });
    await deliver();
    await kit.app
      .forProfile(shop.id)
      .transaction((tx) =>
        sql`UPDATE outcomes SET erased_at = ${kit.clock.now()} WHERE profile_id = ${shop.id} AND id = ${outcomeId}`.execute(
          tx,
        ),
      );
    kit.clock.advance(5_000);
    await deliver();
    const [before, after] = receiver.events();
    expect(before.data.contact.email).toBe('ana@example.com');
    expect(after.data).toMatchObject({ customer_key: null, contact: null, contact_withheld: false });
    expect(after.id).toBe(before.id);
  });
});
