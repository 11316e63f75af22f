import { randomUUID } from 'node:crypto';
import type { ClickHouse } from '@tributary/clickhouse';
import { attribution } from '@tributary/domain/measurement/attribution/module.ts';
import type { Postgres, Tx } from '@tributary/postgres';
import { buildProfile } from '@tributary/testkit';
import { sql } from 'kysely';

/** Profiles with a few payments each, whose changes are attributed: the data of attribution benches. */

const customers = 4;
const touchesPerBrowser = 10;

export type Progress = (done: number, total: number, note: string) => void;

/** Maps each profile to the ids of its payments. Each payment's customer has two browsers. */
export async function fillShops(
  app: Postgres,
  clickhouse: ClickHouse,
  profileCount: number,
  progress: Progress,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const payments = new Map<string, string[]>();
  while (payments.size < profileCount) {
    const some = Math.min(50, profileCount - payments.size);
    const lines: string[] = [];
    for (let n = 0; n < some; n += 1) {
      const { id: profileId } = await buildProfile(app);
      const people = Array.from({ length: customers }, () => ({
        id: randomUUID(),
        payment: randomUUID(),
        browsers: [randomUUID(), randomUUID()],
      }));
      await fillLedger(app, profileId, people);
      payments.set(
        profileId,
        people.map(({ payment }) => payment),
      );
      for (const visitor_id of people.flatMap(({ browsers }) => browsers))
        for (let day = 1; day <= touchesPerBrowser; day += 1)
          lines.push(
            JSON.stringify({
              profile_id: profileId,
              visitor_id,
              occurred_at: `2026-03-${String(day).padStart(2, '0')}T00:00:00.000Z`,
              touch_id: randomUUID(),
              session_id: randomUUID(),
              channel: 'paid_social',
              source: 'facebook',
            }),
          );
    }
    await clickhouse.insertLines('touches', lines.join('\n'));
    progress(payments.size, profileCount, 'profiles');
  }
  return payments;
}

interface Person {
  readonly id: string;
  readonly payment: string;
  readonly browsers: readonly string[];
}

const fillLedger = (app: Postgres, profileId: string, people: readonly Person[]) =>
  app.forProfile(profileId).transaction(async (tx) => {
    const definitionId = randomUUID();
    const ids = people.map(({ id }) => id);
    await sql`INSERT INTO definitions VALUES (${profileId}, ${definitionId}, 'payment', 'Payment', 'payment_received', true, true, 90, true, now(), now())`.execute(
      tx,
    );
    await sql`INSERT INTO definition_events VALUES (${profileId}, 'payment_received', ${definitionId})`.execute(tx);
    await sql`INSERT INTO customers (profile_id, id, sources, terms, first_seen_at, last_seen_at, created_at)
      SELECT ${profileId}, unnest(${ids}::uuid[]), '{}', '{}', now(), now(), now()`.execute(tx);
    for (const { id, browsers } of people)
      await sql`INSERT INTO visitor_links (profile_id, visitor_id, customer_id, source, linked_at)
        SELECT ${profileId}, unnest(${browsers}::uuid[]), ${id}, 'identify', now()`.execute(tx);
    await sql`INSERT INTO outcomes (profile_id, id, idempotency_key, event_name, event_type, event_key, event_type_key, customer_id, occurred_at,
        recorded_at, updated_at, amount, currency, reporting_amount, reporting_currency, rate, rate_date, rest)
      SELECT ${profileId}, p.id, p.id::text, 'payment_received', 'payment_received', 'payment_received', 'payment_received', p.customer_id,
        '2026-03-20T00:00:00Z', now(), now(), 100, 'USD', 100, 'USD', 1, '2026-03-20', '{}'
      FROM unnest(${people.map(({ payment }) => payment)}::uuid[], ${ids}::uuid[]) AS p (id, customer_id)`.execute(tx);
  });

const mark = async (tx: Tx, profileId: string, id: string) => {
  await sql`
    INSERT INTO dirty_conversions (profile_id, outcome_id, causes) VALUES (${profileId}, ${id}, '{amount_changed}')
    ON CONFLICT (profile_id, outcome_id) DO UPDATE SET revision = nextval('dirty_revision')`.execute(tx);
};

export class Shops {
  readonly ids: readonly string[];
  readonly #app: Postgres;
  readonly #system: Postgres;
  readonly #payments: ReadonlyMap<string, readonly string[]>;
  readonly handler: ReturnType<typeof attribution>;

  constructor(
    app: Postgres,
    system: Postgres,
    clickhouse: ClickHouse,
    payments: ReadonlyMap<string, readonly string[]>,
  ) {
    this.#app = app;
    this.#system = system;
    this.#payments = payments;
    this.ids = [...payments.keys()];
    this.handler = attribution({ app, clickhouse, now: () => new Date() });
  }

  /** Raises a payment by a cent, which marks its conversion dirty; resolves to the payment and its new value in cents. */
  async change(profileId: string, nth = 0): Promise<{ readonly id: string; readonly cents: number }> {
    const id = this.#payments.get(profileId)?.[nth % customers] ?? '';
    const cents = await this.#app.forProfile(profileId).transaction(async (tx) => {
      const { rows } = await sql<{ cents: string }>`
        UPDATE outcomes SET amount = amount + 0.01, reporting_amount = reporting_amount + 0.01
        WHERE profile_id = ${profileId} AND id = ${id} RETURNING (reporting_amount * 100)::bigint AS cents`.execute(tx);
      await mark(tx, profileId, id);
      return Number(rows[0]?.cents);
    });
    return { id, cents };
  }

  /** Marks conversions for recomputation although nothing changed. */
  async markAll(profileIds: readonly string[]): Promise<void> {
    for (const profileId of profileIds)
      await this.#app
        .forProfile(profileId)
        .transaction((tx) => mark(tx, profileId, this.#payments.get(profileId)?.[0] ?? ''));
  }

  async changeAll(profileIds: readonly string[]): Promise<void> {
    for (const profileId of profileIds) await this.change(profileId);
  }

  /** Attributes as a worker that has leased these profiles. Resolves to the seconds it took. */
  async attribute(profileIds: readonly string[]): Promise<number> {
    const startedAt = performance.now();
    const claimed = await this.#system.unbound.transaction((tx) => this.handler.loadAll(tx, profileIds, 5_000));
    const held = new Set(profileIds);
    await this.handler.workAll({
      batches: [...claimed].map(([key, one]) => ({ key, ...one })),
      signal: new AbortController().signal,
      settle: (act) => this.#system.unbound.transaction((tx) => act(tx, held)),
    });
    return (performance.now() - startedAt) / 1_000;
  }
}
