import type { Postgres, Tx } from '@tributary/postgres';
import { type RawBuilder, sql } from 'kysely';
import { v7 as uuid } from 'uuid';

/** Fills a ledger in the schema of the version before the migrations under test, and repeats the statements of that version's requests. */

const rowsPerBatch = 50_000;
/** Outcomes per customer. */
const perCustomer = 5;

/** Ascending ids, like the product's own UUIDv7 ids. Random ids would read the whole index again and again. */
const idOf = (kind: number, n: RawBuilder<unknown>) =>
  sql`(${`0000000${kind}-0000-7000-8000-`}::text || lpad(to_hex(${n}), 12, '0'))::uuid`;
const customerOf = (n: RawBuilder<unknown>) => idOf(1, sql`(${n} / ${perCustomer}::int)`);

/** Resolves to the profile id. PostgreSQL generates the rows, in batches. */
export async function fillEarlierLedger(
  owner: Postgres,
  app: Postgres,
  outcomes: number,
  reportProgress: (done: number) => void,
): Promise<string> {
  const [workspaceId, profileId] = [uuid(), uuid()];
  await owner.unbound.transaction(async (tx) => {
    await sql`INSERT INTO workspaces (id, name, created_at) VALUES (${workspaceId}, 'Before', now())`.execute(tx);
    await sql`
      INSERT INTO profiles (id, workspace_id, name, created_at) VALUES (${profileId}, ${workspaceId}, 'Before', now())`.execute(
      tx,
    );
  });
  const ledger = app.forProfile(profileId);
  for (let from = 0; from < outcomes; from += rowsPerBatch) {
    const until = Math.min(from + rowsPerBatch, outcomes) - 1;
    const numbers = sql`generate_series(${from}::int, ${until}::int) AS n`;
    await ledger.transaction(async (tx) => {
      await sql`
        INSERT INTO customers (profile_id, id, first_name, sources, terms, first_seen_at, last_seen_at, created_at)
        SELECT ${profileId}, ${customerOf(sql`n`)}, 'P' || n, '{}', ARRAY['p' || n], now(), now(), now()
        FROM ${numbers} WHERE n % ${perCustomer}::int = 0`.execute(tx);
      await sql`
        INSERT INTO identifiers (profile_id, kind, value, customer_id, source, said_at)
        SELECT ${profileId}, 'email', 'p' || n || '@example.cl', ${customerOf(sql`n`)}, 'api', now()
        FROM ${numbers} WHERE n % ${perCustomer}::int = 0`.execute(tx);
      await sql`
        INSERT INTO outcomes (profile_id, id, idempotency_key, event_name, event_type, event_key, event_type_key, customer_id,
          occurred_at, recorded_at, updated_at, amount, currency, reporting_amount, reporting_currency, rate, rate_date, rest)
        SELECT ${profileId}, ${idOf(2, sql`n`)}, 'o' || n, 'payment_received', 'payment_received', 'payment_received', 'payment_received',
          ${customerOf(sql`n`)}, now() - n * interval '1 second', now(), now(), 10, 'USD', 10, 'USD', 1, now()::date, '{"note": "x"}'
        FROM ${numbers}`.execute(tx);
    });
    reportProgress(until + 1);
  }
  return profileId;
}

/** Runs the statements of one request. Resolves to the idempotency key of the outcome, if the request recorded one. */
type RequestWork = (tx: Tx, profileId: string, n: number, outcomes: number) => Promise<string | undefined>;

const record: RequestWork = async (tx, profileId) => {
  const [customerId, outcomeId, key] = [uuid(), uuid(), uuid()];
  await sql`
    INSERT INTO customers (profile_id, id, sources, terms, first_seen_at, last_seen_at, created_at)
    VALUES (${profileId}, ${customerId}, '{events}', ${[key]}::text[], now(), now(), now())`.execute(tx);
  await sql`
    INSERT INTO identifiers (profile_id, kind, value, customer_id, source, said_at)
    VALUES (${profileId}, 'external_customer_id', ${key}, ${customerId}, 'events', now())`.execute(tx);
  await sql`
    INSERT INTO outcomes (profile_id, id, idempotency_key, event_name, event_type, event_key, event_type_key, customer_id,
      occurred_at, recorded_at, updated_at, amount, currency, reporting_amount, reporting_currency, rate, rate_date, rest)
    VALUES (${profileId}, ${outcomeId}, ${key}, 'payment_received', 'payment_received', 'payment_received', 'payment_received',
      ${customerId}, now(), now(), now(), 25, 'USD', 25, 'USD', 1, now()::date, '{}')`.execute(tx);
  await mark(tx, profileId, sql`SELECT ${outcomeId}::uuid AS id`);
  return key;
};

const correct: RequestWork = async (tx, profileId, n, outcomes) => {
  const key = `o${(n * 7_919) % outcomes}`;
  await sql`
    UPDATE outcomes SET amount = amount + 1, reporting_amount = reporting_amount + 1, updated_at = now()
    WHERE profile_id = ${profileId} AND idempotency_key = ${key}`.execute(tx);
  await mark(tx, profileId, sql`SELECT id FROM outcomes WHERE profile_id = ${profileId} AND idempotency_key = ${key}`);
  return undefined;
};

const mark = (tx: Tx, profileId: string, ids: RawBuilder<unknown>) =>
  sql`
    INSERT INTO dirty_conversions (profile_id, outcome_id, cause) SELECT ${profileId}, id, 'outcome_updated' FROM (${ids}) AS o
    ON CONFLICT (profile_id, outcome_id) DO UPDATE SET revision = nextval('dirty_revision'), cause = excluded.cause`.execute(
    tx,
  );

/** Finds the customer with an e-mail address, and their outcomes. */
const find: RequestWork = async (tx, profileId, n, outcomes) => {
  const value = `p${((n * 104_729) % Math.floor(outcomes / perCustomer)) * perCustomer}@example.cl`;
  const { rows } = await sql`
    SELECT o.id, o.amount, c.first_name FROM identifiers i
    JOIN customers c ON c.profile_id = i.profile_id AND c.id = i.customer_id
    JOIN outcomes o ON o.profile_id = i.profile_id AND o.customer_id = i.customer_id
    WHERE i.profile_id = ${profileId} AND i.kind = 'email' AND i.value = ${value} ORDER BY o.occurred_at DESC LIMIT 50`.execute(
    tx,
  );
  if (rows.length === 0) throw new Error(`nobody has ${value}`);
  return undefined;
};

const list: RequestWork = async (tx, profileId) => {
  await sql`
    SELECT o.id, o.amount, o.customer_id FROM outcomes o
    WHERE o.profile_id = ${profileId} AND o.event_key = 'payment_received' ORDER BY o.occurred_at DESC, o.id DESC LIMIT 50`.execute(
    tx,
  );
  return undefined;
};

export const earlierRequests = [
  ['record', record],
  ['find', find],
  ['correct', correct],
  ['list', list],
] as const satisfies readonly (readonly [string, RequestWork])[];

/** The tables that these requests read and write. */
export const tablesOfRequests = [
  'customers',
  'identifiers',
  'search_terms',
  'outcomes',
  'outcome_totals',
  'dirty_conversions',
] as const;
