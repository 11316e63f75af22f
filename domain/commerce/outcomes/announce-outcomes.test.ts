import { events, OutcomeProvider } from '@tributary/contract';
import { nameOfIdentifier, saveTombstones } from '@tributary/domain/commerce/customers';
import { paymentStandings } from '@tributary/domain/commerce/payments';
import {
  buildMarkedProfile,
  buildProfile,
  matchSales,
  openKit,
  providePayments,
  testTombstones,
} from '@tributary/testkit';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { describe, expect, test } from 'vitest';
import type { ReadEvent } from './read-event.ts';
import { type Reporter, recordOutcomes } from './record-outcomes.ts';

const kit = await openKit();

const ana = { kind: 'email', value: 'ana@example.com' } as const;
const connectionId = uuid();
const crm: Reporter = { source: 'crm_a', connectionId };

interface LeadOptions {
  readonly key?: string;
  readonly externalId?: string;
  readonly occurredAt?: Date;
  readonly amount?: string;
  readonly type?: 'lead_created' | 'closed_won';
}

/** A new lead, as sent by a provider's sync or an API caller. */
function buildLead({
  key = uuid(),
  externalId,
  occurredAt = kit.clock.now(),
  amount,
  type = 'lead_created',
}: LeadOptions): ReadEvent {
  return {
    event: {
      eventName: type,
      eventType: type,
      idempotencyKey: key,
      occurredAt,
      money: amount === undefined ? null : { amount, currency: 'USD' },
      subjectRef: null,
    },
    eventKey: type,
    eventTypeKey: type,
    said: { identifiers: [ana], firstName: 'Ana' },
    ...(externalId && { provided: { externalId, outcomeType: type } }),
    rest: {},
    warnings: [],
  };
}

function openProfile(profileId: string) {
  const transaction = kit.app.forProfile(profileId).transaction;
  return {
    profileId,
    record: (teller: Reporter, lead: LeadOptions) =>
      transaction((tx) =>
        recordOutcomes(tx, [buildLead(lead)], {
          profileId,
          now: kit.clock.now(),
          evidence: { source: 'test', saidAt: kit.clock.now(), requestId: `req_${uuid()}` },
          teller,
          tombstones: testTombstones,
          payments: paymentStandings,
          findAdPlatforms: async () => new Map(),
          visitors: { holdersOf: async () => new Map(), link: async () => [] },
        }),
      ),
    readOutbox: () =>
      transaction((tx) =>
        tx.selectFrom('outbox').select(['id', 'type', 'payload', 'occurred_at']).orderBy('id').execute(),
      ),
    sources: async () =>
      (
        await transaction((tx) =>
          sql`SELECT source, connection_id, external_id FROM outcomes ORDER BY recorded_at, id`.execute(tx),
        )
      ).rows,
  };
}
const openGovernedProfile = async (options: Parameters<typeof buildMarkedProfile>[1] = {}) =>
  openProfile((await buildMarkedProfile(kit, options)).id);

describe('outcome.recorded', () => {
  test.each(OutcomeProvider.options)(
    'is published for outcomes of %s on a profile that an app governs',
    async (source) => {
      const profile = await openGovernedProfile();
      const occurredAt = new Date('2019-03-01T12:00:00Z');
      const [recorded] = await profile.record(
        { source, connectionId },
        { externalId: 'opportunity-1', occurredAt, amount: '12.50' },
      );
      const [event, ...others] = await profile.readOutbox();
      expect(others).toEqual([]);
      expect(event).toMatchObject({ type: 'outcome.recorded', occurred_at: kit.clock.now() });
      expect(events['outcome.recorded'].announced.parse(event?.payload)).toEqual({
        profile_id: profile.profileId,
        outcome_id: recorded?.outcomeId,
        provider: source,
        outcome_type: 'lead_created',
        occurred_at: '2019-03-01T12:00:00.000Z',
        recorded_at: kit.clock.now().toISOString(),
        external_id: 'opportunity-1',
        value: 12.5,
      });
    },
  );

  test('is published once per record of a sale, and matching publishes no second event', async () => {
    const profile = await openGovernedProfile();
    const payment = { customer: 'ana', value: '12.50', at: kit.clock.now() };
    await providePayments(kit, profile.profileId, { source: 'payments_a', connectionId }, [
      { ...payment, id: 'ch_0001' },
    ]);
    await matchSales(kit);
    await providePayments(kit, profile.profileId, { source: 'payments_b', connectionId: uuid() }, [
      { ...payment, id: 'mp_0001', properties: { payment_id: 'ch_0001' } },
    ]);
    const before = await profile.readOutbox();
    await matchSales(kit);
    const { rows } = await kit.app
      .forProfile(profile.profileId)
      .transaction((tx) =>
        sql<{ uncounted: string | null }>`SELECT uncounted FROM outcomes ORDER BY source`.execute(tx),
      );
    expect(rows.map(({ uncounted }) => uncounted).sort()).toEqual(['duplicate', null]);
    expect(before.map(({ payload }) => (payload as { external_id: string }).external_id).sort()).toEqual([
      'ch_0001',
      'mp_0001',
    ]);
    expect(await profile.readOutbox()).toEqual(before);
  });

  test.each(['api', 'import', 'browser'] as const)(
    'is not published for outcomes that the business sent: %s',
    async (source) => {
      const profile = await openGovernedProfile();
      await profile.record({ source }, {});
      expect(await profile.readOutbox()).toEqual([]);
      expect(await profile.sources()).toEqual([{ source, connection_id: null, external_id: null }]);
    },
  );

  test('is not published on a profile that no app governs', async () => {
    const profile = openProfile((await buildProfile(kit.app)).id);
    await profile.record(crm, { externalId: 'opportunity-1' });
    expect(await profile.readOutbox()).toEqual([]);
    expect(await profile.sources()).toHaveLength(1);
  });

  test.each([{ isHealthcareAgency: true }, { privacyMode: 'platform_safe' }, { privacyMode: 'hipaa' }] as const)(
    '[evnt-036] is never published on a healthcare-family profile: %j',
    async (options) => {
      const profile = await openGovernedProfile(options);
      await profile.record(crm, { externalId: 'opportunity-1' });
      expect(await profile.readOutbox()).toEqual([]);
      expect(await profile.sources()).toHaveLength(1);
    },
  );

  test('is published once per outcome, even if a provider reports it repeatedly with changes', async () => {
    const profile = await openGovernedProfile();
    const lead = { key: 'crm:opportunity-1', externalId: 'opportunity-1' };
    await profile.record(crm, lead);
    const first = await profile.readOutbox();
    await profile.record(crm, lead);
    await profile.record(crm, { ...lead, amount: '10' });
    expect(first).toHaveLength(1);
    expect(await profile.readOutbox()).toEqual(first);
  });

  test('is not published for an erased customer', async () => {
    const profile = await openGovernedProfile();
    const erasedAt = kit.clock.now();
    const hash = testTombstones.hashOf(profile.profileId, nameOfIdentifier(ana));
    await kit.app
      .forProfile(profile.profileId)
      .transaction((tx) => saveTombstones(tx, profile.profileId, { erasureId: uuid(), erasedAt }, [hash]));
    await profile.record(crm, { externalId: 'opportunity-1', occurredAt: new Date(erasedAt.getTime() - 1_000) });
    expect(await profile.sources()).toHaveLength(1);
    expect(await profile.readOutbox()).toEqual([]);
  });
});

describe('the source of an outcome', () => {
  test('keeps its provider, connection and external id when another source sends it again', async () => {
    const profile = await openGovernedProfile();
    await profile.record(crm, { key: 'k', externalId: 'opportunity-1' });
    await profile.record({ source: 'api' }, { key: 'k', amount: '10' });
    expect(await profile.sources()).toEqual([
      { source: 'crm_a', connection_id: connectionId, external_id: 'opportunity-1' },
    ]);
  });

  test.each([connectionId, null])('a deal of a connection (%s) has one outcome per type', async (connection) => {
    const profile = await openGovernedProfile();
    const teller: Reporter = { source: 'crm_a', connectionId: connection };
    await profile.record(teller, { externalId: 'deal-1' });
    await profile.record(teller, { externalId: 'deal-1', type: 'closed_won' });
    await expect(profile.record(teller, { externalId: 'deal-1' })).rejects.toThrow(/outcomes_by_external_id_and_type/);
    await profile.record({ source: 'crm_a', connectionId: uuid() }, { externalId: 'deal-1' });
    await profile.record({ source: 'payments_a', connectionId: connection }, { externalId: 'deal-1' });
    expect(await profile.sources()).toHaveLength(4);
    const payloads = (await profile.readOutbox()).map(
      ({ payload }) => payload as { external_id: string; outcome_id: string },
    );
    expect(payloads.map(({ external_id }) => external_id)).toEqual(Array(4).fill('deal-1'));
    expect(new Set(payloads.map(({ outcome_id }) => outcome_id)).size).toBe(4);
  });

  test('refuses a provider outcome without external id, and an external id without provider', async () => {
    const profile = await openGovernedProfile();
    await expect(profile.record(crm, {})).rejects.toThrow(TypeError);
    await expect(profile.record({ source: 'api' }, { externalId: 'x' })).rejects.toThrow(TypeError);
  });
});
