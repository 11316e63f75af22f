import { findAdPlatforms } from '@tributary/domain/campaigns/room.ts';
import { findCustomer, undoMerges, untilUndone } from '@tributary/domain/customers';
import { visitorLinks } from '@tributary/domain/ingestion/room.ts';
import { type ReadEvent, recordOutcomes, untilRecorded } from '@tributary/domain/outcomes';
import { paymentStandings } from '@tributary/domain/payments';
import { firstPayments } from '@tributary/domain/payments/room.ts';
import type { Postgres, Tx } from '@tributary/postgres';
import type { Identifier } from '@tributary/rules';
import { testTombstones } from '@tributary/testkit';
import { strongIdentifierKinds } from '@tributary/vocabulary';
import fc from 'fast-check';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';

/** What the drill of undone merges sends, writes and compares. */

export interface Said {
  readonly identifiers: readonly Identifier[];
  readonly firstName: string | undefined;
  readonly browser: number | undefined;
}

/** A message, or which of the merges so far is undone: a place in their list, counted round. */
export type Step = { readonly say: Said } | { readonly undo: number };

/** Strong ones that belong to nobody by law: with them alone it is certain who is one person, merged or not. */
const kinds = strongIdentifierKinds.filter((kind) => kind !== 'national_id');
const identifier = fc.record({ kind: fc.constantFrom(...kinds), value: fc.constantFrom('1', '2', '3') });
const said: fc.Arbitrary<Said> = fc.record({
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
    { weight: 5, arbitrary: fc.record({ say: said }) },
    { weight: 2, arbitrary: fc.record({ undo: fc.nat(20) }) },
  ),
  { minLength: 6, maxLength: 14, size: 'max' },
);

const start = Date.UTC(2026, 0, 1);
const dayMs = 86_400_000;
/** The place of a message is its time: nobody else was created at that moment. */
export const timeOf = (place: number) => new Date(start + place * dayMs);

/** A world of its own: a profile, and what was done in it. */
export class World {
  readonly app: Postgres;
  readonly profileId: string;
  readonly #browsers: readonly string[] = Array.from({ length: 4 }, (_, index) => browserId(index));

  constructor(app: Postgres, profileId: string) {
    this.app = app;
    this.profileId = profileId;
  }

  transaction<A>(work: (tx: Tx) => Promise<A>): Promise<A> {
    return this.app.forProfile(this.profileId).transaction(work);
  }

  /** A payment that names somebody, with its name, and perhaps the browser that it was made with. */
  async say({ identifiers, firstName, browser }: Said, place: number): Promise<void> {
    const at = timeOf(place);
    const event: ReadEvent = {
      event: {
        eventName: 'payment_received',
        eventType: 'payment_received',
        idempotencyKey: `payment-${place}`,
        occurredAt: at,
        money: { amount: '10', currency: 'USD' },
        subjectRef: null,
      },
      eventKey: 'payment_received',
      eventTypeKey: 'payment_received',
      said: { identifiers, firstName },
      ...(browser !== undefined && { visitorId: this.#browsers[browser] }),
      rest: {},
      warnings: [],
    };
    const { profileId } = this;
    await untilRecorded(() =>
      this.transaction((tx) =>
        recordOutcomes(tx, [event], {
          profileId,
          now: at,
          evidence: { source: `source-${place % 3}`, saidAt: at, requestId: `req_${uuid()}` },
          teller: { source: 'api' },
          tombstones: testTombstones,
          payments: paymentStandings,
          findAdPlatforms,
          visitors: visitorLinks,
        }),
      ),
    );
  }

  async merges(): Promise<Joined[]> {
    const { rows } = await this.transaction((tx) =>
      sql<Joined>`
        SELECT m.id, m.loser_id AS "loserId", m.undone_at AS "undoneAt", m.merged_at AS "mergedAt", one.created_at AS one, other.created_at AS other
        FROM merges m JOIN customers one ON one.id = m.named_one JOIN customers other ON other.id = m.named_other
        ORDER BY m.merged_at, m.loser_id`.execute(tx),
    );
    return rows;
  }

  undo(merge: Joined, at: Date) {
    const undoing = { profileId: this.profileId, at, by: 'drill', reason: 'drill', tombstones: testTombstones };
    return untilUndone(() => this.transaction((tx) => undoMerges(tx, [merge], undoing)));
  }

  /** As if the merge had been undone before it was: the message that would join them finds them kept apart. False: there are no such two. */
  async keepApart({ one, other, id }: Joined): Promise<boolean> {
    return this.transaction(async (tx) => {
      const { rows } = await sql<{ id: string; createdAt: Date }>`
        SELECT id, created_at AS "createdAt" FROM customers WHERE created_at IN (${one}, ${other})`.execute(tx);
      const ids = [one, other].flatMap((at) => rows.find((row) => row.createdAt.getTime() === at.getTime())?.id ?? []);
      const are = await Promise.all(ids.map((customer) => findCustomer(tx, this.profileId, customer)));
      if (are.length < 2 || are[0] === are[1]) return false;
      await sql`
        INSERT INTO kept_apart (profile_id, one, other, one_is, other_is, merge_id, kept_at)
        VALUES (${this.profileId}, ${ids[0]}, ${ids[1]}, ${are[0]}, ${are[1]}, ${id}, now()) ON CONFLICT DO NOTHING`.execute(
        tx,
      );
      return true;
    });
  }

  /** Of whom each identifier was said, and who they are now: by when these were created. */
  async saidOf(identifiers: readonly Identifier[]): Promise<{ saidOf: string; holder: string }[]> {
    const { rows } = await this.transaction((tx) =>
      sql<{ saidOf: string; holder: string }>`
        SELECT coalesce(i.moved_from, i.customer_id) AS "saidOf", i.customer_id AS holder
        FROM unnest(${identifiers.map(({ kind }) => kind)}::text[], ${identifiers.map(({ value }) => value)}::text[]) AS s (kind, value)
        JOIN identifiers i USING (kind, value)`.execute(tx),
    );
    return rows;
  }

  /** Everybody, by when they were first known, with all that hangs on them and no id of ours. */
  async people(): Promise<unknown[]> {
    const { rows } = await this.transaction((tx) =>
      sql<{ person: unknown }>`
        SELECT jsonb_build_array(c.created_at, c.first_name, c.primary_email, (SELECT array_agg(s ORDER BY s) FROM unnest(c.sources) s),
          (SELECT array_agg(t ORDER BY t) FROM unnest(c.terms) t), c.first_seen_at, c.last_seen_at,
          (SELECT array_agg(t.term ORDER BY t.term) FROM search_terms t WHERE t.customer_id = c.id),
          (SELECT array_agg(i.kind || ' ' || i.value || ' ' || i.source ORDER BY i.kind, i.value) FROM identifiers i WHERE i.customer_id = c.id),
          (SELECT array_agg(l.visitor_id ORDER BY l.visitor_id) FROM visitor_links l WHERE l.customer_id = c.id),
          (SELECT jsonb_agg(jsonb_build_array(o.idempotency_key, o.is_first_payment, p.idempotency_key) ORDER BY o.idempotency_key)
            FROM outcomes o LEFT JOIN outcomes p ON p.profile_id = o.profile_id AND p.id = o.purchase_id WHERE o.customer_id = c.id),
          (SELECT jsonb_agg(jsonb_build_array(t.event_key, t.outcomes, t.amount)) FROM outcome_totals t WHERE t.customer_id = c.id)) AS person
        FROM customers c WHERE c.merged_into IS NULL ORDER BY c.created_at`.execute(tx),
    );
    return rows.map(({ person }) => person);
  }

  /** First payments, as the worker derives them. */
  async settle(): Promise<void> {
    const queue = firstPayments(this.app);
    for (;;) {
      const { signal } = new AbortController();
      const { items } = await queue.take(this.profileId, 1_000, signal);
      if (items.length === 0) return;
      await queue.work({ key: this.profileId, items, signal } as Parameters<typeof queue.work>[0]);
    }
  }
}

export interface Joined {
  readonly id: string;
  readonly loserId: string;
  readonly undoneAt: Date | null;
  readonly mergedAt: Date;
  /** When the two that it joined were created. */
  readonly one: Date;
  readonly other: Date;
}

const browserId = (index: number) => `0000000${index}-0000-7000-8000-000000000000`;
