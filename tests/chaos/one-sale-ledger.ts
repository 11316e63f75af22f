import { convert, sumAmounts } from '@tributary/rules';
import { sql } from 'kysely';
import { type Book, type BookedSale, countedOf, type Person } from './one-sale-book.ts';
import type { Shop } from './one-sale-shop.ts';
import { type Currency, dollars, minor, text } from './payments-book.ts';

/** Compares what the ledger counts with the simulator's books. */

interface LedgerRow {
  readonly day: string;
  readonly customer: string;
  readonly currency: Currency;
  readonly net: string;
  readonly reporting: string;
  readonly sales: number;
}

const unnamed = 'unnamed';
const erased = 'erased';
const rateOf: Record<Currency, string> = { USD: '1', CLP: '0.00111111111111111111', KWD: '3.33333333333333333333' };

/** Compares the revenue of the books and of the ledger by day, customer and currency. Resolves to the differences. */
export async function compareRevenue(shop: Shop, book: Book, isDecided: boolean, areErased: boolean) {
  const expected = new Map<string, { net: bigint; sales: number; reporting: bigint }>();
  const labelOf = (person: Person | null) =>
    !person ? unnamed : areErased && person.isErased ? erased : String(person.n);
  for (const { counted, net } of countedOf(book, isDecided)) {
    const day = new Date(counted.at).toISOString().slice(0, 10);
    const key = `${day} ${labelOf(counted.person)} ${counted.currency}`;
    const before = expected.get(key) ?? { net: 0n, sales: 0, reporting: 0n };
    expected.set(key, {
      net: before.net + net,
      sales: before.sales + 1,
      reporting: before.reporting + convert(text(net, counted.currency), rateOf[counted.currency], 'USD'),
    });
  }
  const rows = await readRevenue(shop);
  const faults: string[] = [];
  const found = new Map(rows.map((row) => [`${row.day} ${row.customer} ${row.currency}`, row]));
  for (const key of new Set([...expected.keys(), ...found.keys()])) {
    const [want, row] = [expected.get(key), found.get(key)];
    const currency = key.split(' ')[2] as Currency;
    const expectedText = want
      ? `${text(want.net, currency)} of ${want.sales}, ${dollars(want.reporting)} USD`
      : 'nothing';
    const actual = row
      ? `${text(minor(row.net, currency), currency)} of ${row.sales}, ${dollars(minor(row.reporting, 'USD'))} USD`
      : 'nothing';
    if (expectedText !== actual) faults.push(`${key}: ${actual}, not ${expectedText}`);
  }
  const total = [...expected.values()].reduce((sum, { reporting }) => sum + reporting, 0n);
  const counted = sumAmounts(rows.map(({ reporting }) => reporting));
  return { faults, expected: dollars(total), counted };
}

async function readRevenue({ ledger }: Shop): Promise<LedgerRow[]> {
  const { rows } = await ledger.transaction((tx) =>
    sql<LedgerRow>`
      WITH named AS MATERIALIZED (
        SELECT customer_id, string_agg(DISTINCT n::text, '+') AS n FROM (
          SELECT customer_id, CASE WHEN kind = 'store_customer_id' THEN value::int - 700000
            ELSE substring(value FROM '^(?:u-|p|cus_)([0-9]+)')::int END AS n FROM identifiers) i
        GROUP BY customer_id)
      SELECT to_char(o.occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day,
        CASE WHEN o.customer_id IS NULL THEN ${unnamed} ELSE coalesce(n.n, ${erased}) END AS customer, o.currency,
        sum(o.amount - least(o.refunded, o.amount))::text AS net, sum(o.reporting_amount)::text AS reporting, count(*)::int AS sales
      FROM outcome_meanings o LEFT JOIN named n ON n.customer_id = o.customer_id
      WHERE o.counts_as_cash AND o.amount IS NOT NULL GROUP BY 1, 2, 3`.execute(tx),
  );
  return rows;
}

/** Reads which record of each sale counts, its refunds, and every match. The lines hold no generated ids, so equal reports give equal lines. */
export async function readState({ ledger }: Shop): Promise<string[]> {
  const { rows } = await ledger.transaction((tx) =>
    sql<{ line: string }>`
      SELECT concat_ws(' ', 'record', o.idempotency_key, coalesce(o.uncounted, 'counted'), d.idempotency_key, trim_scale(o.refunded)) AS line
      FROM outcome_meanings o LEFT JOIN outcomes d ON d.profile_id = o.profile_id AND d.id = o.duplicate_of
      WHERE o.is_cash_record
      UNION ALL
      SELECT concat_ws(' ', 'match', least(a.idempotency_key, b.idempotency_key), greatest(a.idempotency_key, b.idempotency_key),
        m.evidence, m.reference, m.state, m.apart_ms, m.is_certain, m.is_likely)
      FROM sale_matches m JOIN outcomes a ON a.profile_id = m.profile_id AND a.id = m.first_id
      JOIN outcomes b ON b.profile_id = m.profile_id AND b.id = m.second_id WHERE m.valid_to IS NULL`.execute(tx),
  );
  return rows.map(({ line }) => line).sort();
}

/** Returns the lines of each state that the other lacks. */
export function differencesOf(one: readonly string[], other: readonly string[]): string[] {
  const [left, right] = [new Set(one), new Set(other)];
  return [
    ...one.filter((line) => !right.has(line)).map((line) => `only first: ${line}`),
    ...other.filter((line) => !left.has(line)).map((line) => `only second: ${line}`),
  ];
}

/** Finds matches without evidence, duplicates without an accepted match, and records of different sales that were joined. */
export async function checkMatches({ ledger }: Shop, book: Book, isDecided: boolean) {
  const saleOf = new Map<string, BookedSale>();
  for (const sale of book.sales) for (const { key } of sale.records) saleOf.set(key, sale);
  const { rows: matches } = await ledger.transaction((tx) =>
    sql<{ evidence: string; state: string; matches: number; unproven: number }>`
      SELECT m.evidence, m.state, count(*)::int AS matches,
        count(*) FILTER (WHERE m.evidence = 'reference' AND m.reference IS NULL AND a.erased_at IS NULL AND b.erased_at IS NULL)::int AS unproven
      FROM sale_matches m JOIN outcomes a ON a.profile_id = m.profile_id AND a.id = m.first_id
      JOIN outcomes b ON b.profile_id = m.profile_id AND b.id = m.second_id WHERE m.valid_to IS NULL GROUP BY 1, 2`.execute(
      tx,
    ),
  );
  const { rows: duplicates } = await ledger.transaction((tx) =>
    sql<{ key: string; counted: string; isMatched: boolean }>`
      SELECT regexp_replace(o.idempotency_key, '^[a-z_]+:(.*):payment_received$', '\\1') AS key,
        regexp_replace(d.idempotency_key, '^[a-z_]+:(.*):payment_received$', '\\1') AS counted,
        EXISTS (SELECT FROM sale_matches m WHERE m.profile_id = o.profile_id AND m.valid_to IS NULL AND m.state IN ('automatic', 'confirmed')
          AND (m.first_id = o.id OR m.second_id = o.id)) AS "isMatched"
      FROM outcomes o JOIN outcomes d ON d.profile_id = o.profile_id AND d.id = o.duplicate_of WHERE o.uncounted = 'duplicate'`.execute(
      tx,
    ),
  );
  const faults: string[] = [];
  for (const { key, counted, isMatched } of duplicates) {
    const [one, other] = [saleOf.get(key), saleOf.get(counted)];
    // The records of two equal purchases are interchangeable.
    const isAlike = one?.kind === 'equal' && other?.kind === 'equal' && Math.abs(one.n - other.n) === 1;
    const isOpen = !isDecided && one?.kind === 'lookalike' && one.undecided?.group === other?.undecided?.group;
    if (one !== other && !isAlike && !isOpen) faults.push(`${key} (${one?.kind}) was joined with ${counted}`);
    if (!isMatched) faults.push(`${key} is a duplicate of ${counted} without a match`);
  }
  const ofEvidence: Record<string, number> = {};
  for (const { evidence, state, matches: n, unproven } of matches) {
    if (unproven > 0) faults.push(`${unproven} matches lack their reference`);
    ofEvidence[`${evidence}_${state}`] = n;
  }
  return { faults, duplicates: duplicates.length, matches: ofEvidence };
}

/** Checks that each customer with a counted payment has one first purchase, no work is queued, and totals are the sum of counted records. */
export async function checkTotals({ ledger }: Shop): Promise<string[]> {
  const { rows } = await ledger.transaction((tx) =>
    sql<{ fault: string; n: number }>`
      SELECT 'customers without exactly one first purchase' AS fault, count(*)::int AS n FROM (
        SELECT customer_id FROM outcome_meanings WHERE counts_as_cash AND amount IS NOT NULL AND customer_id IS NOT NULL
        GROUP BY customer_id HAVING count(DISTINCT purchase_id) FILTER (WHERE is_first_payment) <> 1) c
      UNION ALL SELECT 'records that do not count and are called payments', count(*) FROM outcomes WHERE uncounted IS NOT NULL AND is_first_payment IS NOT NULL
      UNION ALL SELECT 'records that wait', count(*) FROM outcomes WHERE uncounted = 'pending'
      UNION ALL SELECT 'marks that wait', count(*) FROM dirty_sales
      UNION ALL SELECT 'customers whose totals differ', count(*) FROM (
        SELECT coalesce(t.customer_id, o.customer_id) FROM (
          SELECT customer_id, sum(outcomes) AS n, sum(amount) AS amount FROM outcome_totals WHERE event_key = 'payment_received' GROUP BY 1) t
        FULL JOIN (
          SELECT customer_id, count(*) AS n, sum(reporting_amount) AS amount FROM outcome_meanings
          WHERE counts_as_cash AND customer_id IS NOT NULL GROUP BY 1) o ON o.customer_id = t.customer_id
        WHERE t.n IS DISTINCT FROM o.n OR t.amount IS DISTINCT FROM o.amount) d`.execute(tx),
  );
  return rows.flatMap(({ fault, n }) => (n > 0 ? [`${n} ${fault}`] : []));
}

/** Reads which pairs of sources overlap systematically, and the share of records that have a partner. */
export async function readOverlaps({ ledger }: Shop) {
  const { rows } = await ledger.transaction((tx) =>
    sql<{ pair: string; share: string; isSystematic: boolean }>`
      SELECT split_part(first_source, ':', 1) || '+' || split_part(second_source, ':', 1) AS pair,
        round(100.0 * partners / greatest(records, 1)) || '%' AS share, is_systematic AS "isSystematic"
      FROM sale_overlaps ORDER BY 1`.execute(tx),
  );
  return rows;
}
