import { type Book, type Figures, noFigures, type ReportedFigures, refundedOf } from './year-book.ts';
import { type Currency, minorOf, textOf } from './year-money.ts';
import { dayAt, firstDay, type Shop } from './year-shop.ts';

/** Compares responses of the API with the simulator's books. */
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

/** The figures of the books for all days so far, as known on the evening of day `n`. */
export interface Mark {
  readonly n: number;
  /** The real time at which the simulated day ended. */
  readonly at: string;
  readonly currency: Currency;
  readonly figures: ReportedFigures;
}

export const markOf = (book: Book, n: number): Mark => ({
  n,
  at: new Date().toISOString(),
  currency: book.currency,
  figures: book.figures(),
});

interface Row {
  readonly outcome_count: number;
  readonly outcome_value: number | null;
  readonly attributed_outcome_count: number;
  readonly spend?: number | null;
}

/** Compares a report row with the books. */
function sameFigures(checks: Checks, check: string, name: string, row: Row | undefined, wanted: Figures, to: Currency) {
  checks.same(check, `${name} payments`, row?.outcome_count ?? 0, wanted.payments);
  checks.same(check, `${name} value`, minorOf(row?.outcome_value ?? 0, to), wanted.value);
  checks.same(check, `${name} conversions`, row?.attributed_outcome_count ?? 0, wanted.conversions);
  if (row?.spend !== undefined) checks.same(check, `${name} spend`, minorOf(row.spend ?? 0, to), wanted.spend);
}

/** Compares all days up to the mark's day: the overview by day and in total, the figures of each campaign, and the unattributed rest. */
export async function checkReports(shop: Shop, checks: Checks, mark: Mark, asOf?: string): Promise<void> {
  const { n, currency, figures } = mark;
  const when = asOf ? ' as of then' : '';
  const range = new URLSearchParams({ date_from: firstDay, date_to: dayAt(n), ...(asOf && { as_of: asOf }) });
  const name = (what: string) => `day ${n}${when}, ${what}`;
  const { data, meta } = await shop.call('GET', `/overview?${range}`);
  checks.same(`overview${when}`, name('currency'), meta.currency, currency);
  for (const row of data.days)
    sameFigures(checks, `overview${when}`, name(row.date), row, figures.days.get(row.date) ?? noFigures(), currency);
  sameFigures(checks, `overview${when}`, name('total'), data.totals, figures.total, currency);

  const listed = (await shop.call('GET', `/campaigns?${range}&model=last_touch&level=campaign&limit=100`)).data;
  const rows = new Map<string, Row>(listed.map((row: Row & { external_id: string }) => [row.external_id, row]));
  const rest = (await shop.call('GET', `/campaigns/unattributed?${range}&model=last_touch&level=campaign`)).data;
  rows.set('unattributed', rest);
  for (const campaign of new Set([...rows.keys(), ...figures.campaigns.keys()])) {
    const wanted = figures.campaigns.get(campaign) ?? noFigures();
    sameFigures(checks, `campaigns${when}`, name(campaign), rows.get(campaign), wanted, currency);
  }
}

/** Compares the rows that explain the revenue of each campaign and of the unattributed rest, page by page. */
export async function checkExplanations(shop: Shop, checks: Checks, mark: Mark): Promise<void> {
  const { n, currency, figures } = mark;
  const range = `date_from=${firstDay}&date_to=${dayAt(n)}&model=last_touch`;
  const listed = (await shop.call('GET', `/campaigns?${range}&level=campaign&limit=100`)).data;
  const ids = new Map<string, string>([['unattributed', 'unattributed']]);
  for (const { external_id, campaign_id } of listed) ids.set(external_id, campaign_id);
  for (const [campaign, id] of ids) {
    const wanted = figures.campaigns.get(campaign) ?? noFigures();
    let [sum, payments, cursor] = [0n, 0, ''];
    do {
      const more = cursor ? `&cursor=${encodeURIComponent(cursor)}` : '';
      const path = `/explain?${range}&field=outcome_value&entity_id=${id}&limit=100${more}`;
      const { data, pagination } = await shop.call('GET', path);
      for (const { contributes } of data.conversions) sum += minorOf(contributes, currency);
      payments += data.conversions.length;
      cursor = pagination.has_next ? pagination.cursor : '';
      if (!cursor) checks.same('explanations', `${campaign} figure`, minorOf(data.value ?? 0, currency), wanted.value);
    } while (cursor);
    checks.same('explanations', `${campaign} sum of rows`, sum, wanted.value);
    checks.same('explanations', `${campaign} rows`, payments, wanted.payments);
  }
}

/** Runs the product's own reconciliation of providers, ledger, ClickHouse and reports: no row may differ. */
export async function checkReconciliation(shop: Shop, checks: Checks, lastDay: number): Promise<void> {
  for (let from = 0; from <= lastDay; from += 30) {
    const range = { date_from: dayAt(from), date_to: dayAt(Math.min(lastDay, from + 29)) };
    const { id } = (await shop.call('POST', '/reconciliations', range)).data;
    await shop.round(undefined, ['reconciliations']);
    const { data } = await shop.call('GET', `/reconciliations/${id}`);
    const run = data.reconciliation ?? data;
    checks.same('reconciliation', `${range.date_from} is over`, run.finished_at !== null, true);
    checks.same('reconciliation', `${range.date_from} differences`, run.differences, 0);
    if (run.differences > 0) {
      const found = await shop.call('GET', `/reconciliations/${id}/differences?limit=5`);
      checks.first.push(JSON.stringify(found.data));
    }
  }
}

/** Compares every record of every sale: which record counts, and its net amount. */
export async function checkPayments(shop: Shop, checks: Checks, book: Book, lastDay: number): Promise<void> {
  // biome-ignore lint/suspicious/noExplicitAny: responses of the API are not typed here.
  const listed = new Map<string, any>();
  for (let cursor: string | null = null; ; ) {
    const query = new URLSearchParams({ from: firstDay, to: dayAt(lastDay), limit: '100', ...(cursor && { cursor }) });
    const { data, pagination } = await shop.call('GET', `/payments?${query}`);
    for (const row of data) listed.set(`${row.provider} ${row.external_id}`, row);
    if (!pagination.has_next) break;
    cursor = pagination.cursor;
  }
  const sales = book.reportedSales();
  checks.same(
    'payments',
    'records',
    listed.size,
    sales.reduce((sum, { records }) => sum + records.length, 0),
  );
  for (const sale of sales) {
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

/** Compares the revenue of each customer, by e-mail address. All erased customers form one group. */
export async function checkCustomers(shop: Shop, checks: Checks, book: Book, lastDay: number): Promise<void> {
  const found = new Map<string, { total: bigint; sum: bigint; rows: number }>();
  const of = (email: string) => {
    const one = found.get(email) ?? { total: 0n, sum: 0n, rows: 0 };
    found.set(email, one);
    return one;
  };
  const groupOf = new Map<string, string>();
  const wanted = Map.groupBy(book.reportedSales(), ({ person }) => {
    if (person.isErased) return 'erased';
    const all = book.visits.of(person);
    const group = all.map(({ email }) => email).sort()[0] as string;
    for (const { email } of all) groupOf.set(email, group);
    return group;
  });
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
      const one = of(row.email === null ? 'erased' : (groupOf.get(row.email) ?? row.email));
      one.total = minorOf(row.total_revenue ?? 0, book.currency);
      one.sum += minorOf(row.revenue ?? 0, book.currency);
      one.rows += 1;
    }
    if (!pagination.has_next) break;
    cursor = pagination.cursor;
  }
  checks.same('customers', 'how many', found.size, wanted.size);
  for (const [email, sales] of wanted) {
    const revenue = sales.reduce((sum, sale) => sum + book.worth(sale), 0n);
    checks.same('customers', `${email} payments`, found.get(email)?.rows, sales.length);
    checks.same('customers', `${email} revenue by payment`, found.get(email)?.sum, revenue);
    if (email !== 'erased') checks.same('customers', `${email} revenue ever`, found.get(email)?.total, revenue);
  }
}

/** Checks that every outcome of a provider was delivered once, with its value at the time of recording. */
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
