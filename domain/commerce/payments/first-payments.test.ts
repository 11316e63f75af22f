import { ServerEvent } from '@tributary/contract';
import { type ReadEvent, readEvent, recordOutcomes } from '@tributary/domain/commerce/outcomes';
import { createPostgres, type Tx } from '@tributary/postgres';
import {
  type EventSender,
  matchSales,
  openEventSender,
  openTest,
  paymentEvent,
  processQueue,
  testOutcomeServices,
  testTombstones,
} from '@tributary/testkit';
import fc from 'fast-check';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { beforeEach, describe, expect, test } from 'vitest';
import { firstPayments, paymentStandings } from './module.ts';

const { kit, api } = await openTest();
let sender: EventSender;
beforeEach(async () => {
  sender = await openEventSender(kit, api);
});

describe('subject_ref', () => {
  test.each([
    ['[inge-023]', '8a7f6c1e-1111-4222-8333-944455556666'],
    ['[inge-024] [lim-018]', 'subject_A-1'],
  ])('%s %s is accepted', async (_, subject) => {
    expect((await sender.post(paymentEvent({ subject }))).status).toBe(202);
  });

  test.each([
    ['[inge-031]', 'ana@example.com'],
    ['[inge-032]', '12-34-567'],
    ['[inge-033]', '1990-05-17'],
    ['[inge-034]', 'maria_12'],
    ['[inge-035]', 'd41d8cd98f00b204e9800998ecf8427e'],
    ['[lim-018]', 'x'.repeat(33)],
  ])('%s %s is 400 invalid_parameter', async (_, subject) => {
    const { body } = await sender.post(paymentEvent({ subject }));
    expect(body.error).toMatchObject({ code: 'invalid_parameter', status: 400, field: 'properties.subject_ref' });
  });

  test('[inge-020] [inge-021] each subject of a customer has its own first payment', async () => {
    await sender.post(paymentEvent({ key: 'a1', day: 1, subject: 'A' }));
    await sender.post(paymentEvent({ key: 'b1', day: 10, subject: 'B' }));
    await sender.post(paymentEvent({ key: 'a2', day: 20, subject: 'A' }));
    expect(await sender.flags()).toEqual({ a1: true, b1: true, a2: false });
  });

  test("[inge-022] without subjects, a customer's first payments are those within a week of the earliest", async () => {
    await sender.post(paymentEvent({ key: 'p1', day: 1 }));
    await sender.post(paymentEvent({ key: 'p2', day: 8 }));
    await sender.post(paymentEvent({ key: 'p3', day: 9 }));
    expect(await sender.flags()).toEqual({ p1: true, p2: true, p3: false });
  });

  test('[inge-022] a late-reported earlier payment restarts the seven-day window and excludes its former last day', async () => {
    await sender.post(paymentEvent({ key: 'p2', day: 2 }));
    await sender.post(paymentEvent({ key: 'p3', day: 9 }));
    expect(await sender.flags()).toEqual({ p2: true, p3: true });
    await sender.post(paymentEvent({ key: 'p1', day: 1 }));
    expect(await sender.flags()).toEqual({ p1: true, p2: true, p3: false });
  });

  test('[inge-026] [inge-027] [inge-028] an untagged payment makes later subjects returning, and the flags follow when it is tagged and untagged', async () => {
    await sender.post(paymentEvent({ key: 'old', day: 1 }));
    await sender.post(paymentEvent({ key: 'new', day: 20, subject: 'B' }));
    expect(await sender.flags()).toEqual({ old: true, new: false });
    await sender.post(paymentEvent({ key: 'old', day: 1, subject: 'A' }));
    expect(await sender.flags()).toEqual({ old: true, new: true });
    await sender.post(paymentEvent({ key: 'old', day: 1 }));
    expect(await sender.flags()).toEqual({ old: true, new: false });
    expect((await sender.outcomes()).find((row) => row.idempotency_key === 'old')?.subject_ref).toBeNull();
  });

  test('[inge-030] a provider payment stays untagged when it is read again, and a later subject is not a new customer', async () => {
    const event = ServerEvent.parse(paymentEvent({ key: 'payments_a:ch_1', day: 1 }));
    const read = readEvent(sender.profileId, event, new Date(), () => 'payments_a:ch_1');
    if ('code' in read) throw new Error(read.message);
    const provided = { externalId: 'ch_1', outcomeType: 'payment_received' } as const;
    const recordFromProvider = () =>
      kit.app.forProfile(sender.profileId).transaction((tx) =>
        recordOutcomes(tx, [{ ...read, provided }], {
          ...testOutcomeServices,
          profileId: sender.profileId,
          now: new Date(),
          evidence: { source: 'payments_a', saidAt: new Date(), requestId: `req_${uuid()}` },
          teller: { source: 'payments_a', connectionId: uuid() },
        }),
      );
    await recordFromProvider();
    await sender.post(paymentEvent({ key: 'child', day: 40, subject: 'child-2' }));
    // The hourly sync reads the same payment again.
    await recordFromProvider();
    await matchSales(kit);
    expect(await sender.flags()).toEqual({ 'payments_a:ch_1': true, child: false });
    expect((await sender.outcomes()).map(({ subject_ref }) => subject_ref)).toEqual([null, 'child-2']);
  });

  test('[inge-037] no response contains the subject', async () => {
    const { body } = await sender.post(paymentEvent({ subject: 'secret-subject' }));
    expect(JSON.stringify(body)).not.toContain('secret-subject');
  });
});

describe('random histories of payments that are sent and resent', () => {
  const sent = fc.record({
    key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
    day: fc.constantFrom(1, 2, 5, 8, 9, 20),
    subject: fc.constantFrom(undefined, undefined, 'A', 'B'),
    customer: fc.constantFrom('c-1', 'c-1', 'c-1', 'c-2'),
    event: fc.constantFrom('payment_received', 'payment_received', 'payment_received', 'order_placed'),
  });
  const body = ({
    event,
    subject,
    ...more
  }: {
    event: string;
    subject: string | undefined;
    key: string;
    day: number;
  }) => ({
    ...paymentEvent({ ...more, ...(subject && { subject }) }),
    event_name: event,
  });
  const purchases = async (who: EventSender) => {
    const rows = await who.outcomes();
    const keyOf = new Map(rows.map((row) => [row.id, row.idempotency_key]));
    return rows.map((row) => [
      row.idempotency_key,
      row.is_first_payment,
      row.purchase_id && keyOf.get(row.purchase_id),
    ]);
  };

  test('incremental first-payment flags equal those of a fresh load', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(sent, { minLength: 1, maxLength: 12, size: 'max' }), async (history) => {
        const who = await openEventSender(kit, api);
        for (const one of history) expect((await who.post(body(one))).status).toBe(202);
        const last = new Map(history.map((one) => [one.key, one]));
        const fresh = await openEventSender(kit, api);
        // Keeps the order of the first sends: of two payments at the same time, the smaller id counts as the earlier.
        await fresh.post({ events: [...last.values()].map(body) });
        // When a payment moves to another customer, the queue recomputes the customer that it left.
        const isMoved = history.some(({ key, customer }) => last.get(key)?.customer !== customer);
        if (isMoved) await processQueue(kit.system, 'firstPayments', firstPayments(kit.app));
        expect(await purchases(who)).toEqual(await purchases(fresh));
        // They also equal a full recomputation from all payments.
        const before = await purchases(who);
        await markAll(who.profileId);
        await processQueue(kit.system, 'firstPayments', firstPayments(kit.app));
        expect(await purchases(who)).toEqual(before);
      }),
      {
        numRuns: 25,
        examples: [
          [
            [
              { key: 'b', day: 1, subject: 'B', customer: 'c-1', event: 'payment_received' },
              { key: 'a', day: 1, subject: undefined, customer: 'c-1', event: 'payment_received' },
              { key: 'e', day: 1, subject: undefined, customer: 'c-1', event: 'payment_received' },
              { key: 'b', day: 1, subject: undefined, customer: 'c-1', event: 'order_placed' },
            ],
          ],
        ],
      },
    );
  });

  const markAll = (profileId: string) =>
    kit.app.forProfile(profileId).transaction((tx) =>
      sql`INSERT INTO dirty_customers (profile_id, customer_id) SELECT ${profileId}, id FROM customers
            ON CONFLICT (profile_id, customer_id) DO UPDATE SET revision = nextval('dirty_revision')`.execute(tx),
    );
});

describe('a customer with twenty thousand payments', () => {
  const many = 20_000;
  const event = (key: string, day: number, subject?: string): ReadEvent => {
    const read = readEvent(
      sender.profileId,
      ServerEvent.parse({ ...paymentEvent({ key, ...(subject && { subject }) }), occurred_at: dayAt(day) }),
      new Date('2040-01-01'),
      () => key,
    );
    if ('code' in read) throw new Error(read.message);
    return read;
  };
  const dayAt = (day: number) => new Date(Date.UTC(2026, 0, day)).toISOString();

  /**
   * Updates the planner statistics now. Autovacuum runs at an arbitrary time after such a load, which would make the
   * test flaky.
   */
  const analyze = async () => {
    const owner = createPostgres({ url: kit.database.ownerUrl, poolSize: 1 });
    await owner.unbound.query(sql.raw('ANALYZE outcomes'));
    await owner.close();
  };

  /**
   * Rows of `outcomes` that this transaction has read, from the statistics of PostgreSQL. May include reads of earlier
   * transactions for up to a second.
   */
  const rowsReadSoFar = async (tx: Tx) => {
    const { rows } = await sql<{ n: number }>`
      SELECT (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int AS n
      FROM pg_stat_xact_user_tables WHERE relname = 'outcomes'`.execute(tx);
    return rows[0]?.n ?? 0;
  };
  const rowsRead = (one: ReadEvent) =>
    kit.app.forProfile(sender.profileId).transaction(async (tx) => {
      const now = new Date('2040-01-01');
      const evidence = { source: 'test', saidAt: now, requestId: `req_${uuid()}` };
      const before = await rowsReadSoFar(tx);
      await recordOutcomes(tx, [one], {
        profileId: sender.profileId,
        now,
        evidence,
        teller: { source: 'api' },
        tombstones: testTombstones,
        payments: paymentStandings,
        findAdPlatforms: async () => new Map(),
        visitors: { holdersOf: async () => new Map(), link: async () => [] },
      });
      return (await rowsReadSoFar(tx)) - before;
    });

  test.each(['of ten subjects', 'all within a week'])(
    '%s: adding one payment reads fewer than ten rows',
    async (kind) => {
      await rowsRead(event('first', 1, kind === 'of ten subjects' ? 'S0' : undefined));
      const step = kind === 'all within a week' ? '10 seconds' : '30 minutes';
      await kit.app.forProfile(sender.profileId).transaction(async (tx) => {
        await sql`
        INSERT INTO outcomes (profile_id, id, idempotency_key, event_name, event_type, event_key, event_type_key, customer_id,
          occurred_at, recorded_at, updated_at, amount, currency, subject_ref, is_first_payment, purchase_id, rest)
        SELECT profile_id, gen_random_uuid(), 'many-' || n, event_name, event_type, event_key, event_type_key, customer_id,
          occurred_at + n * ${step}::interval, recorded_at, updated_at, amount, currency,
          CASE WHEN subject_ref IS NULL THEN NULL ELSE 'S' || n % 10 END, false, NULL, rest
        FROM outcomes, generate_series(1, ${many}::int) AS n`.execute(tx);
        await sql`INSERT INTO dirty_customers (profile_id, customer_id) SELECT DISTINCT profile_id, customer_id FROM outcomes`.execute(
          tx,
        );
      });
      await processQueue(kit.system, 'firstPayments', firstPayments(kit.app));
      await analyze();
      expect(await rowsRead(event('after', 2_000))).toBeLessThan(10);
      expect(await rowsRead(event('after-of-one', 2_001, 'S3'))).toBeLessThan(10);
      expect(await rowsRead(event('of-new-subject', 2_002, 'S99'))).toBeLessThan(10);
      expect(await rowsRead(event('among-them', 3, kind === 'of ten subjects' ? 'S3' : undefined))).toBeLessThan(10);
    },
    60_000,
  );
});

test('the queue derives the first payments of many customers separately', async () => {
  await sender.post(paymentEvent({ key: 'model', day: 1, customer: 'c-model' }));
  const ledger = kit.app.forProfile(sender.profileId);
  await ledger.transaction(async (tx) => {
    await sql`
      INSERT INTO customers (profile_id, id, sources, terms, first_seen_at, last_seen_at, created_at)
      SELECT profile_id, md5('many' || n)::uuid, sources, terms, first_seen_at, last_seen_at, created_at FROM customers, generate_series(1, 450) AS n`.execute(
      tx,
    );
    // Three payments of each customer, a month apart, with no first-payment status yet.
    await sql`
      INSERT INTO outcomes (profile_id, id, idempotency_key, event_name, event_type, event_key, event_type_key, customer_id,
        occurred_at, recorded_at, updated_at, amount, currency, rest)
      SELECT profile_id, gen_random_uuid(), 'of-' || n || '-' || k, event_name, event_type, event_key, event_type_key, md5('many' || n)::uuid,
        occurred_at + k * interval '30 days', recorded_at, updated_at, amount, currency, rest
      FROM outcomes, generate_series(1, 450) AS n, generate_series(1, 3) AS k`.execute(tx);
    await sql`INSERT INTO dirty_customers (profile_id, customer_id) SELECT profile_id, id FROM customers ON CONFLICT DO NOTHING`.execute(
      tx,
    );
  });
  await processQueue(kit.system, 'firstPayments', firstPayments(kit.app));
  const found = await ledger.transaction((tx) =>
    sql<{ k: string; firsts: string; dirty: string }>`
      SELECT right(idempotency_key, 1) AS k, count(*) FILTER (WHERE is_first_payment) AS firsts,
        (SELECT count(*) FROM dirty_customers) AS dirty
      FROM outcomes WHERE idempotency_key LIKE 'of-%' GROUP BY k ORDER BY k`.execute(tx),
  );
  expect(found.rows.map(({ k, firsts, dirty }) => [k, Number(firsts), Number(dirty)])).toEqual([
    ['1', 450, 0],
    ['2', 0, 0],
    ['3', 0, 0],
  ]);
});

test('a merge moves the outcomes, marks them dirty, and their first payments are derived again', async () => {
  await sender.post(paymentEvent({ key: 'early', day: 1, customer: 'c-a' }));
  await sender.post({
    ...paymentEvent({ key: 'late', day: 25, customer: 'c-b' }),
    user_traits: { store_customer_id: 'c-b', email: 'b@example.com' },
  });
  expect(await sender.flags()).toEqual({ early: true, late: true });
  await kit.app.forProfile(sender.profileId).transaction((tx) => tx.deleteFrom('dirty_conversions').execute());
  await sender.send('/api/v1/customers', { rows: [{ external_id: 'c-a', email: 'b@example.com' }] });
  expect(new Set((await sender.outcomes()).map((row) => row.customer_id)).size).toBe(1);
  const marks = async () => {
    const { rows } = await kit.app.forProfile(sender.profileId).transaction((tx) =>
      sql<{ key: string; causes: string[]; isOfMerge: boolean }>`
        SELECT o.idempotency_key AS key, d.causes, d.cause_ref IS NOT DISTINCT FROM (SELECT id FROM merges) AS "isOfMerge"
        FROM dirty_conversions d JOIN outcomes o ON o.id = d.outcome_id ORDER BY 1`.execute(tx),
    );
    return rows;
  };
  expect(await marks()).toEqual([{ key: 'late', causes: ['merge'], isOfMerge: true }]);
  // Each outcome keeps its previous customer and the identifier it was sent with; the survivor keeps its own traits
  // apart.
  const remembered = await kit.app.forProfile(sender.profileId).transaction((tx) =>
    sql`SELECT o.idempotency_key AS key, o.named_kind AS kind, o.named_value AS value, o.moved_from = m.loser_id AS "isMoved",
        c.primary_email AS email, c.own->>'primaryEmail' AS "ownEmail", c.own->'sources' AS sources
      FROM outcomes o JOIN customers c ON c.id = o.customer_id CROSS JOIN merges m ORDER BY 1`.execute(tx),
  );
  // The import row that caused the merge belongs to the survivor; the email address came from the merged customer.
  const sources = ['events', 'import'];
  const survivor = { email: 'b@example.com', ownEmail: null, sources, kind: 'external_customer_id' };
  expect(remembered.rows).toEqual([
    { ...survivor, key: 'early', value: 'c-a', isMoved: null },
    { ...survivor, kind: 'store_customer_id', key: 'late', value: 'c-b', isMoved: true },
  ]);
  await processQueue(kit.system, 'firstPayments', firstPayments(kit.app));
  expect(await sender.flags()).toEqual({ early: true, late: false });
  // With two causes, no single cause is referenced.
  expect(await marks()).toEqual([{ key: 'late', causes: ['first_payment', 'merge'], isOfMerge: false }]);
});
