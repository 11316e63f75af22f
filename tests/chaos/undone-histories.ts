import { createHash } from 'node:crypto';
import { type ClickHouse, raw } from '@tributary/clickhouse';
import { findAdPlatforms } from '@tributary/domain/advertising/campaigns/module.ts';
import { findSurvivors, retryUndo, undoMerges } from '@tributary/domain/commerce/customers';
import { type ReadEvent, recordOutcomes, retryOnConflict } from '@tributary/domain/commerce/outcomes';
import { paymentStandings } from '@tributary/domain/commerce/payments';
import { firstPayments } from '@tributary/domain/commerce/payments/module.ts';
import { attribution } from '@tributary/domain/measurement/attribution/module.ts';
import { visitorLinks } from '@tributary/domain/traffic/ingestion/module.ts';
import type { Postgres, Tx } from '@tributary/postgres';
import type { Identifier } from '@tributary/rules';
import { buildProfile, processQueue, testTombstones } from '@tributary/testkit';
import { dayMs, strongIdentifierKinds } from '@tributary/vocabulary';
import fc from 'fast-check';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';

/** The messages, writes and comparisons of the drill for undone merges. */

export interface CustomerMessage {
  readonly identifiers: readonly Identifier[];
  readonly firstName: string | undefined;
  readonly browser: number | undefined;
}

/** A message, or the undo of an earlier merge by its index in the list of merges, modulo the length of the list. */
export type Step = { readonly say: CustomerMessage } | { readonly undo: number };

/**
 * Strong identifiers that always join customers, so that identifiers alone decide who is the same customer, merged or not. National ids and the
 * caller's own keys can keep customers separate, and a message has only one key.
 */
const kinds = strongIdentifierKinds.filter((kind) => kind !== 'national_id' && kind !== 'external_customer_id');
const identifier = fc.record({ kind: fc.constantFrom(...kinds), value: fc.constantFrom('1', '2', '3') });
const message: fc.Arbitrary<CustomerMessage> = fc.record({
  identifiers: fc.uniqueArray(identifier, {
    minLength: 1,
    maxLength: 3,
    selector: (one) => `${one.kind} ${one.value}`,
  }),
  firstName: fc.option(fc.constantFrom('Ana', 'Berta', 'Carla'), { nil: undefined, freq: 2 }),
  browser: fc.option(fc.nat(3), { nil: undefined, freq: 2 }),
});
export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ say: message }) },
    { weight: 2, arbitrary: fc.record({ undo: fc.nat(20) }) },
  ),
  { minLength: 10, maxLength: 18, size: 'max' },
);

const start = Date.UTC(2026, 0, 1);
export const timeOf = (place: number) => new Date(start + place * dayMs);

/** A customer that a message created. At most one customer of a history is created at each place. */
export interface Made {
  readonly history: number;
  readonly place: number;
}

export interface Joined {
  readonly id: string;
  readonly history: number;
  readonly undoneAt: Date | null;
  readonly mergedAt: Date;
  /** The two customers that it joined. */
  readonly one: Made;
  readonly other: Made;
}

export interface Stores {
  readonly app: Postgres;
  readonly system: Postgres;
  readonly clickhouse: ClickHouse;
}

/** A profile with many histories that share no customer. */
export class World {
  readonly profileId: string;
  readonly #stores: Stores;
  readonly #made = new Map<string, Made>();
  readonly #ids = new Map<string, string>();

  constructor(stores: Stores, profileId: string) {
    this.#stores = stores;
    this.profileId = profileId;
  }

  static async open(stores: Stores): Promise<World> {
    return new World(stores, (await buildProfile(stores.app)).id);
  }

  transaction<A>(work: (tx: Tx) => Promise<A>): Promise<A> {
    return this.#stores.app.forProfile(this.profileId).transaction(work);
  }

  say(said: CustomerMessage, place: number): Promise<void> {
    return this.sayAll([{ history: 0, said }], place);
  }

  /** Records one payment of each history. A payment has identifiers and may have a name and a browser. */
  async sayAll(
    messages: readonly { readonly history: number; readonly said: CustomerMessage }[],
    place: number,
  ): Promise<void> {
    const at = timeOf(place);
    const { profileId } = this;
    const events = messages.map(({ history, said }) => eventOf(said, history, place));
    const context = {
      profileId,
      now: at,
      evidence: { source: `source-${place % 3}`, saidAt: at, requestId: `req_${uuid()}` },
      teller: { source: 'api' },
      tombstones: testTombstones,
      payments: paymentStandings,
      findAdPlatforms,
      visitors: visitorLinks,
    } as const;
    await retryOnConflict(() => this.transaction((tx) => recordOutcomes(tx, events, context)));
  }

  /** Reads the customers that were created at a place. */
  async meet(place: number): Promise<void> {
    const { rows } = await this.transaction((tx) =>
      sql<{ id: string; value: string }>`
        SELECT DISTINCT ON (c.id) c.id, i.value FROM customers c
        JOIN identifiers i ON i.profile_id = c.profile_id AND coalesce(i.moved_from, i.customer_id) = c.id
        WHERE c.created_at = ${timeOf(place)}`.execute(tx),
    );
    for (const { id, value } of rows) {
      const made = { history: historyOf(value), place };
      this.#made.set(id, made);
      this.#ids.set(nameOf(made), id);
    }
  }

  async merges(): Promise<Joined[]> {
    const { rows } = await this.transaction((tx) =>
      sql<{ id: string; undoneAt: Date | null; mergedAt: Date; one: string; other: string }>`
        SELECT id, undone_at AS "undoneAt", merged_at AS "mergedAt", named_one AS one, named_other AS other FROM merges`.execute(
        tx,
      ),
    );
    const merges = rows.map((row) => {
      const [one, other] = [this.#madeOf(row.one), this.#madeOf(row.other)];
      return { ...row, history: one.history, one, other };
    });
    return merges.toSorted(
      (a, b) =>
        a.mergedAt.getTime() - b.mergedAt.getTime() || a.one.place - b.one.place || a.other.place - b.other.place,
    );
  }

  /** The ids of merges that are not undone. */
  async standing(): Promise<string[]> {
    const { rows } = await this.transaction((tx) =>
      sql<{ id: string }>`SELECT id FROM merges WHERE undone_at IS NULL`.execute(tx),
    );
    return rows.map(({ id }) => id);
  }

  undo(merge: Pick<Joined, 'id'>, at: Date) {
    const undoing = { profileId: this.profileId, at, by: 'drill', reason: 'drill', tombstones: testTombstones };
    return retryUndo(() => this.transaction((tx) => undoMerges(tx, [merge], undoing)));
  }

  /**
   * Stores the pair of each merge as kept apart, as if the merge had been undone earlier: a message that would join the two does not.
   * Resolves to the merges whose pair does not exist yet as two customers.
   */
  async keepApart(merges: readonly Joined[]): Promise<Joined[]> {
    const pairs = merges.map((merge) => ({
      merge,
      one: this.#ids.get(nameOf(merge.one)) ?? '',
      other: this.#ids.get(nameOf(merge.other)) ?? '',
    }));
    return this.transaction(async (tx) => {
      const ids = pairs.flatMap(({ one, other }) => [one, other]).filter(Boolean);
      const survivors = await findSurvivors(tx, this.profileId, ids);
      const isPair = ({ one, other }: (typeof pairs)[number]) =>
        survivors.has(one) && survivors.has(other) && survivors.get(one) !== survivors.get(other);
      for (const { merge, one, other } of pairs.filter(isPair))
        await sql`
          INSERT INTO kept_apart (profile_id, one, other, one_is, other_is, merge_id, kept_at)
          VALUES (${this.profileId}, ${one}, ${other}, ${survivors.get(one)}, ${survivors.get(other)}, ${merge.id}, now()) ON CONFLICT DO NOTHING`.execute(
          tx,
        );
      return pairs.filter((pair) => !isPair(pair)).map(({ merge }) => merge);
    });
  }

  async newestMark(): Promise<string> {
    const { rows } = await this.transaction((tx) =>
      sql<{ revision: string }>`SELECT coalesce(max(revision), 0)::text AS revision FROM dirty_conversions`.execute(tx),
    );
    return rows[0]?.revision ?? '0';
  }

  /** Counts the conversions of these customers, those marked by the undo since the revision, and all marked conversions of the history. */
  async marksSince(revision: string, people: readonly string[], merge: Joined, isFirst: boolean) {
    const { rows } = await this.transaction((tx) =>
      sql<{ outcomes: number; marked: number; others: number }>`
        SELECT count(*)::int AS outcomes,
          count(*) FILTER (WHERE d.revision > ${revision}::bigint AND 'split' = ANY (d.causes) AND (NOT ${isFirst} OR d.cause_ref = ${merge.id}))::int AS marked,
          (SELECT count(*)::int FROM dirty_conversions d JOIN outcomes o ON o.profile_id = d.profile_id AND o.id = d.outcome_id
            WHERE d.revision > ${revision}::bigint AND o.idempotency_key LIKE ${`${merge.history}-%`}) AS others
        FROM outcomes o LEFT JOIN dirty_conversions d ON d.profile_id = o.profile_id AND d.outcome_id = o.id
        WHERE o.customer_id = ANY (${people}::uuid[])`.execute(tx),
    );
    return rows[0] ?? { outcomes: 0, marked: 0, others: 0 };
  }

  /** Reads the customers of each history in order of creation, with all their data except generated ids. */
  async people(): Promise<Map<number, unknown[]>> {
    const { rows } = await this.transaction((tx) =>
      sql<{ value: string; person: unknown }>`
        SELECT (SELECT min(i.value) FROM identifiers i WHERE i.customer_id = c.id) AS value,
          jsonb_build_array(c.created_at, c.first_name, c.primary_email, (SELECT array_agg(s ORDER BY s) FROM unnest(c.sources) s),
          (SELECT array_agg(t ORDER BY t) FROM unnest(c.terms) t), c.first_seen_at, c.last_seen_at,
          (SELECT array_agg(t.term ORDER BY t.term) FROM search_terms t WHERE t.customer_id = c.id),
          (SELECT array_agg(i.kind || ' ' || i.value || ' ' || i.source ORDER BY i.kind, i.value) FROM identifiers i WHERE i.customer_id = c.id),
          (SELECT array_agg(l.visitor_id ORDER BY l.visitor_id) FROM visitor_links l WHERE l.customer_id = c.id),
          (SELECT jsonb_agg(jsonb_build_array(o.idempotency_key, o.is_first_payment, p.idempotency_key) ORDER BY o.idempotency_key)
            FROM outcomes o LEFT JOIN outcomes p ON p.profile_id = o.profile_id AND p.id = o.purchase_id WHERE o.customer_id = c.id),
          (SELECT jsonb_agg(jsonb_build_array(t.event_key, t.outcomes, t.amount)) FROM outcome_totals t WHERE t.customer_id = c.id)) AS person
        FROM customers c WHERE c.merged_into IS NULL ORDER BY c.created_at, value`.execute(tx),
    );
    const histories = Map.groupBy(rows, ({ value }) => historyOf(value));
    return new Map([...histories].map(([history, found]) => [history, found.map(({ person }) => person)]));
  }

  /** Derives first payments as the worker does. */
  async settle(): Promise<void> {
    await processQueue(this.#stores.system, 'firstPayments', firstPayments(this.#stores.app), this.profileId);
  }

  /** Attributes payments as the worker does. */
  async attribute(): Promise<void> {
    const { app, system, clickhouse } = this.#stores;
    const handler = attribution({ app, clickhouse, now: () => new Date() });
    await processQueue(system, 'attribution', handler, this.profileId);
  }

  /** Stores two visits of each browser before all messages, and one between them. Every world has the same visits. */
  async visitAll(histories: Iterable<number>): Promise<void> {
    const lines = [...histories].flatMap((history) =>
      [0, 1, 2, 3].flatMap((browser) =>
        [-2 + browser / 10, -1 + browser / 10, 5 + browser / 10].map((place) =>
          JSON.stringify({
            profile_id: this.profileId,
            visitor_id: browserId(history, browser),
            session_id: uuidOf(`session ${history} ${browser} ${place}`),
            touch_id: uuidOf(`touch ${history} ${browser} ${place}`),
            occurred_at: timeOf(place).toISOString(),
            channel: browser % 2 ? 'paid_search' : 'paid_social',
            source: `source-${browser}`,
          }),
        ),
      ),
    );
    await this.#stores.clickhouse.insertLines('touches', lines.join('\n'));
  }

  /** Reads the credits of each payment by history, in order of payments, as a hash of everything that is equal in all worlds. */
  async credit(): Promise<Map<number, [key: string, touches: number, hash: string | undefined][]>> {
    const { rows } = await this.transaction((tx) =>
      sql<{
        id: string;
        key: string;
      }>`SELECT id, idempotency_key AS key FROM outcomes ORDER BY idempotency_key`.execute(tx),
    );
    const found = await this.#stores.clickhouse.query(
      raw<{ conversion_id: string; hash: string; touch_count: number }>(`
        SELECT conversion_id, touch_count, toString(cityHash64(is_anonymous, conversion_type, revenue_type, value, has_value, currency, is_first_payment, lookback_days,
          touch_count, country, device, touch_ids, touch_times, source_ids, last_non_direct, linear, time_decay, position_based)) AS hash
        FROM attributed_conversions FINAL WHERE profile_id = '${this.profileId}' AND NOT is_deleted`),
      {},
    );
    const credits = new Map(found.map((row) => [row.conversion_id, row]));
    const histories = Map.groupBy(rows, ({ key }) => historyOf(key));
    return new Map(
      [...histories].map(([history, payments]) => [
        history,
        payments.map(({ id, key }) => [key, credits.get(id)?.touch_count ?? 0, credits.get(id)?.hash]),
      ]),
    );
  }

  #madeOf(id: string): Made {
    const made = this.#made.get(id);
    if (!made) throw new Error('A merge names a customer that no message made.');
    return made;
  }
}

const nameOf = ({ history, place }: Made) => `${history} ${place}`;

function eventOf({ identifiers, firstName, browser }: CustomerMessage, history: number, place: number): ReadEvent {
  return {
    event: {
      eventName: 'payment_received',
      eventType: 'payment_received',
      idempotencyKey: `${history}-payment-${place}`,
      occurredAt: timeOf(place),
      money: { amount: '10', currency: 'USD' },
      subjectRef: null,
    },
    eventKey: 'payment_received',
    eventTypeKey: 'payment_received',
    said: { identifiers: identifiers.map(({ kind, value }) => ({ kind, value: `${history}-${value}` })), firstName },
    ...(browser !== undefined && { visitorId: browserId(history, browser) }),
    rest: {},
    warnings: [],
  };
}

const historyOf = (name: string) => Number(name.slice(0, name.indexOf('-')));

const browserId = (history: number, browser: number) =>
  `${(history * 4 + browser).toString(16).padStart(8, '0')}-0000-7000-8000-000000000000`;

const uuidOf = (name: string) =>
  createHash('sha256')
    .update(name)
    .digest('hex')
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-7$3-8$4-$5');
