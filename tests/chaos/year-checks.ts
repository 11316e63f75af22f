import type { Book, DayFigures } from './year-book.ts';
import { refundedOf } from './year-book.ts';
import { type Currency, minorOf, textOf } from './year-money.ts';
import { dayAt, firstDay, type Shop } from './year-shop.ts';

/** Holds answers of the API against the simulator's books. */
export class Checks {
  readonly compared: Record<string, number> = {};
  readonly differences: Record<string, number> = {};
  readonly first: string[] = [];

  same(check: string, what: string, found: unknown, wanted: unknown): void {
    this.compared[check] = (this.compared[check] ?? 0) + 1;
    this.differences[check] ??= 0;
    if (String(found) === String(wanted)) return;
    this.differences[check] += 1;
    if (this.first.length < 30) this.first.push(`${check}, ${what}: ${found}, not ${wanted}`);
  }

  get total(): number {
    return Object.values(this.differences).reduce((sum, n) => sum + n, 0);
  }
}

/** What the books say of all days so far, as it was known when it was written down. */
export interface Mark {
  readonly n: number;
  /** The real moment at which the day was over. */
  readonly at: string;
  readonly currency: Currency;
  readonly days: ReadonlyMap<string, DayFigures>;
}

const none: DayFigures = { payments: 0, value: 0n, conversions: 0 };

export const markOf = (book: Book, n: number): Mark => ({
  n,
  at: new Date().toISOString(),
  currency: book.currency,
  days: book.days(),
});

/** The overview of all days up to the mark's, day by day and in total. */
export async function checkOverview(shop: Shop, checks: Checks, mark: Mark, asOf?: string): Promise<void> {
  const check = asOf ? 'overview as of' : 'overview';
  const { n, currency, days } = mark;
  const query = new URLSearchParams({ date_from: firstDay, date_to: dayAt(n), ...(asOf && { as_of: asOf }) });
  const { data, meta } = await shop.call('GET', `/overview?${query}`);
  const name = (what: string) => `day ${n}${asOf ? ' as of then' : ''}, ${what}`;
  checks.same(check, name('currency'), meta.currency, currency);
  let [payments, value, conversions] = [0, 0n, 0];
  for (const row of data.days) {
    const wanted = days.get(row.date) ?? none;
    payments += wanted.payments;
    value += wanted.value;
    conversions += wanted.conversions;
    checks.same(check, name(`${row.date} payments`), row.outcome_count, wanted.payments);
    checks.same(check, name(`${row.date} value`), minorOf(row.outcome_value ?? 0, currency), wanted.value);
    checks.same(check, name(`${row.date} conversions`), row.attributed_outcome_count, wanted.conversions);
  }
  checks.same(check, name('payments'), data.totals.outcome_count, payments);
  checks.same(check, name('value'), minorOf(data.totals.outcome_value ?? 0, currency), value);
  checks.same(check, name('conversions'), data.totals.attributed_outcome_count, conversions);
}

/** Every record of every payment: which of a sale counts, and what is left of it. */
export async function checkPayments(shop: Shop, checks: Checks, book: Book, lastDay: number): Promise<void> {
  // biome-ignore lint/suspicious/noExplicitAny: whatever the API answers.
  const listed = new Map<string, any>();
  for (let cursor: string | null = null; ; ) {
    const query = new URLSearchParams({ from: firstDay, to: dayAt(lastDay), limit: '100', ...(cursor && { cursor }) });
    const { data, pagination } = await shop.call('GET', `/payments?${query}`);
    for (const row of data) listed.set(`${row.provider} ${row.external_id}`, row);
    if (!pagination.has_next) break;
    cursor = pagination.cursor;
  }
  const known = book.known();
  checks.same(
    'payments',
    'records',
    listed.size,
    known.reduce((sum, { records }) => sum + records.length, 0),
  );
  for (const sale of known) {
    const rows = sale.records.map((record) => listed.get(record));
    const name = `sale ${sale.n} (${sale.records.join(', ')})`;
    const counted = rows.filter((row) => row?.counted);
    checks.same('payments', `${name} counts`, counted.length, 1);
    const [row] = counted;
    if (!row) continue;
    checks.same('payments', `${name} net`, row.net, textOf(sale.amount - refundedOf(sale), sale.currency));
    checks.same('payments', `${name} amount`, row.amount, textOf(sale.amount, sale.currency));
    checks.same(
      'payments',
      `${name} currency`,
      `${row.currency} ${row.reporting_currency}`,
      `${sale.currency} ${book.currency}`,
    );
    checks.same('payments', `${name} in reports`, minorOf(row.reporting_net, book.currency), book.worth(sale));
    for (const other of rows)
      if (other !== row)
        checks.same(
          'payments',
          `${name} duplicate`,
          `${other?.not_counted_because} ${other?.sale_id}`,
          `duplicate ${row.id}`,
        );
  }
}

/** The customers with their revenue, by the e-mail address that the shop knows them by. */
export async function checkCustomers(shop: Shop, checks: Checks, book: Book, lastDay: number): Promise<void> {
  const found = new Map<string, { total: bigint; sum: bigint; rows: number }>();
  for (let cursor: string | null = null; ; ) {
    const [time, id] = (cursor ?? '').split('|');
    const query = new URLSearchParams({
      date_from: firstDay,
      date_to: dayAt(lastDay),
      goal: 'payment_received',
      limit: '100',
      ...(time && id && { cursor_time: time, cursor_id: id }),
    });
    const { data, pagination } = await shop.call('GET', `/customers?${query}`);
    for (const row of data) {
      const one = found.get(row.email) ?? { total: minorOf(row.total_revenue ?? 0, book.currency), sum: 0n, rows: 0 };
      one.sum += minorOf(row.revenue ?? 0, book.currency);
      one.rows += 1;
      found.set(row.email, one);
    }
    if (!pagination.has_next) break;
    cursor = pagination.cursor;
  }
  const wanted = Map.groupBy(book.known(), ({ person }) => person.email);
  checks.same('customers', 'how many', found.size, wanted.size);
  for (const [email, sales] of wanted) {
    const revenue = sales.reduce((sum, sale) => sum + book.worth(sale), 0n);
    checks.same('customers', `${email} payments`, found.get(email)?.rows, sales.length);
    checks.same('customers', `${email} revenue by payment`, found.get(email)?.sum, revenue);
    checks.same('customers', `${email} revenue ever`, found.get(email)?.total, revenue);
  }
}

/** Every outcome of a provider was delivered once, with the value that it had when it was recorded. */
export function checkWebhooks(shop: Shop, checks: Checks, book: Book, currencyOf: (at: string) => Currency): void {
  const events = new Map(shop.delivered.map((event) => [event.id, event]));
  const found = new Map<string, bigint | null>();
  for (const { type, data } of events.values()) {
    if (type !== 'outcome.recorded') continue;
    const key = `${data.provider} ${data.external_id} ${data.outcome_type}`;
    checks.same('webhooks', `${key} is delivered under one id`, found.has(key), false);
    found.set(key, data.value === null ? null : minorOf(data.value, currencyOf(data.recorded_at)));
  }
  checks.same('webhooks', 'outcomes', found.size, book.announced.size);
  for (const [key, value] of book.announced) checks.same('webhooks', key, found.get(key), value);
}
