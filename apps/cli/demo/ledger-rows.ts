import type { Browser, Household, Market, Money, Outcome, Person } from '@tributary/market';
import type { Postgres, Tx } from '@tributary/postgres';
import { eventNameKey, fromMinorUnits, searchTerms } from '@tributary/rules';
import { dayMs } from '@tributary/vocabulary';
import { sql } from 'kysely';

/**
 * Collects rows of one table by column: under row-level security, which excludes COPY, arrays of thousands are PostgreSQL's fastest insert. Existing
 * rows are kept, so an interrupted fill can be restarted.
 */
class Rows {
  readonly #table: string;
  readonly #types: Readonly<Record<string, string>>;
  readonly #columns: unknown[][];

  constructor(table: string, types: Readonly<Record<string, string>>) {
    this.#table = table;
    this.#types = types;
    this.#columns = Object.keys(types).map(() => []);
  }

  get count(): number {
    return this.#columns[0]?.length ?? 0;
  }

  add(...values: readonly unknown[]): void {
    for (const [index, value] of values.entries()) this.#columns[index]?.push(value);
  }

  async insert(tx: Tx, profileId: string, fixed: Readonly<Record<string, string>> = {}): Promise<void> {
    if (this.count === 0) return;
    const names = Object.keys(this.#types);
    const arrays = Object.values(this.#types).map((type, index) => sql`${this.#columns[index]}::${sql.raw(type)}[]`);
    const into = ['profile_id', ...names, ...Object.keys(fixed)].join(', ');
    const values = [...names.map((name) => (name === 'terms' ? `string_to_array(terms, E'\\n')` : name))];
    await sql`
      INSERT INTO ${sql.raw(this.#table)} (${sql.raw(into)})
      SELECT ${profileId}::uuid, ${sql.raw([...values, ...Object.values(fixed)].join(', '))}
      FROM unnest(${sql.join(arrays)}) AS rows (${sql.raw(names.join(', '))})
      ON CONFLICT DO NOTHING`.execute(tx);
  }
}

export interface LedgerOptions {
  readonly isSearchable: boolean;
  /** Payments are written as they were before their refunds; refunds before this time are returned. */
  readonly historicUntil: number | undefined;
}

/** A refund that is applied after the payment was recorded. */
export interface LaterRefund {
  readonly paymentId: string;
  readonly at: number;
  /** In units of the payment's currency. */
  readonly refunded: string;
  /** The remaining amount of the payment, in the reporting currency. */
  readonly reportingAmount: string | null;
}

/** The ledger rows of some households: customers, identifiers, browsers and outcomes. */
export class LedgerBatch {
  readonly #market: Market;
  readonly #customers = new Rows('customers', {
    id: 'uuid',
    first_name: 'text',
    last_name: 'text',
    primary_email: 'text',
    primary_phone: 'text',
    terms: 'text',
    first_seen_at: 'timestamptz',
    last_seen_at: 'timestamptz',
    created_at: 'timestamptz',
  });
  readonly #identifiers = new Rows('identifiers', {
    kind: 'text',
    value: 'text',
    customer_id: 'uuid',
    said_at: 'timestamptz',
  });
  readonly #conflicts = new Rows('identity_conflicts', {
    kind: 'text',
    value: 'text',
    customer_id: 'uuid',
    said_at: 'timestamptz',
  });
  readonly #links = new Rows('visitor_links', { visitor_id: 'uuid', customer_id: 'uuid', linked_at: 'timestamptz' });
  readonly #outcomes = new Rows('outcomes', {
    id: 'uuid',
    idempotency_key: 'text',
    event_name: 'text',
    event_type: 'text',
    event_key: 'text',
    event_type_key: 'text',
    customer_id: 'uuid',
    visitor_id: 'uuid',
    occurred_at: 'timestamptz',
    recorded_at: 'timestamptz',
    updated_at: 'timestamptz',
    amount: 'numeric',
    currency: 'text',
    reporting_amount: 'numeric',
    reporting_currency: 'text',
    rate: 'numeric',
    rate_date: 'date',
    subject_ref: 'text',
    is_first_payment: 'boolean',
    purchase_id: 'uuid',
    refunded: 'numeric',
    is_payer_assigned: 'boolean',
    region: 'text',
  });
  readonly #refunds = new Rows('payment_refunds', {
    payment_id: 'uuid',
    payment_ref: 'text',
    idempotency_key: 'text',
    amount: 'numeric',
    currency: 'text',
    refunded_at: 'timestamptz',
  });
  readonly #entries = new Rows('payment_entries', {
    payment_id: 'uuid',
    action: 'text',
    amount: 'numeric',
    currency: 'text',
    payer_id: 'uuid',
    at: 'timestamptz',
  });
  readonly #dirty = new Rows('dirty_conversions', { outcome_id: 'uuid' });

  readonly #options: LedgerOptions;
  readonly laterRefunds: LaterRefund[] = [];

  constructor(market: Market, options: LedgerOptions) {
    this.#market = market;
    this.#options = options;
  }

  get count(): number {
    return this.#customers.count + this.#links.count + this.#outcomes.count;
  }

  addPeople({ people, browsers }: Household): void {
    const isHolderThere = people.some((person) => person.customer?.isPhoneHolder && this.#isThere(person));
    for (const person of people) if (this.#isThere(person)) this.#addCustomer(person, isHolderThere);
    for (const browser of browsers) this.#addLink(browser, people);
  }

  addOutcome(outcome: Outcome, region: string): void {
    const { id, eventName, at, arrivesAt, money, standing } = outcome;
    const key = eventNameKey(eventName);
    const recordedAt = instant(arrivesAt);
    const { reportingCurrency } = this.#market;
    const { historicUntil } = this.#options;
    const reporting = historicUntil === undefined ? money?.reporting : money && this.#gross(money, at);
    this.#outcomes.add(
      id,
      outcome.idempotencyKey,
      eventName,
      eventName,
      key,
      key,
      outcome.customerId,
      outcome.visitorId,
      instant(at),
      recordedAt,
      recordedAt,
      money && fromMinorUnits(money.paid, money.currency),
      money?.currency ?? null,
      reporting ? fromMinorUnits(reporting.value, reportingCurrency) : null,
      reporting ? reportingCurrency : null,
      reporting?.rate ?? null,
      reporting?.rateDate ?? null,
      outcome.subjectRef,
      standing?.isFirstPayment ?? null,
      standing?.purchaseId ?? null,
      money && historicUntil === undefined ? fromMinorUnits(money.paid - money.net, money.currency) : '0',
      isPayerAssigned(outcome),
      region,
    );
    // A historic fill is followed by a complete replay.
    if (historicUntil === undefined) this.#dirty.add(id);
    if (isPayerAssigned(outcome))
      this.#entries.add(id, 'payer_assigned', null, null, outcome.customerId, instant(arrivesAt + dayMs));
    if (money) this.#addRefunds(outcome, money);
  }

  /** The payment in the reporting currency, before refunds. */
  #gross({ paid, currency }: Money, at: number): Money['reporting'] {
    const { rates, reportingCurrency, dayOf } = this.#market;
    return rates.convert(fromMinorUnits(paid, currency), currency, reportingCurrency, dayOf(at)) ?? null;
  }

  /** The shop's own system reports most refunds; some were paid in cash and recorded by hand. */
  #addRefunds({ id, idempotencyKey, standing }: Outcome, { refunds, currency, reporting }: Money): void {
    const { historicUntil } = this.#options;
    for (const [index, { at, amount }] of refunds.entries()) {
      if (historicUntil !== undefined && at >= historicUntil) continue;
      if (historicUntil !== undefined)
        this.laterRefunds.push({
          paymentId: id,
          at,
          refunded: fromMinorUnits(amount, currency),
          reportingAmount: reporting && fromMinorUnits(reporting.value, this.#market.reportingCurrency),
        });
      const value = fromMinorUnits(amount, currency);
      if (standing && isOneIn(4, id)) this.#entries.add(id, 'refund_recorded', value, currency, null, instant(at));
      else this.#refunds.add(id, idempotencyKey, `${idempotencyKey} refund ${index}`, value, currency, instant(at));
    }
  }

  async write(app: Postgres): Promise<void> {
    const { profileId } = this.#market;
    await app.forProfile(profileId).transaction(async (tx) => {
      await this.#customers.insert(tx, profileId, { sources: `ARRAY['import']` });
      await this.#identifiers.insert(tx, profileId, { source: `'import'` });
      await this.#conflicts.insert(tx, profileId, { source: `'import'`, is_claim: 'true' });
      await this.#links.insert(tx, profileId, { source: `'identify'` });
      await this.#outcomes.insert(tx, profileId, { rest: `'{}'` });
      await this.#refunds.insert(tx, profileId, {
        id: `md5('refund' || idempotency_key)::uuid`,
        kind: `'refund'`,
        status: `'completed'`,
        recorded_at: 'refunded_at',
        updated_at: 'refunded_at',
        source: `'api'`,
      });
      await this.#entries.insert(tx, profileId, {
        id: `md5(action || payment_id)::uuid`,
        actor_kind: `'operator'`,
        actor_id: `'${profileId}'::uuid`,
        request_id: `'demo'`,
      });
      await this.#dirty.insert(tx, profileId, { causes: `ARRAY['outcome_recorded']` });
    });
  }

  /** Whether the customer's first outcome lies within the fill. */
  #isThere({ customer, outcomes }: Person): boolean {
    const { historicUntil = Number.POSITIVE_INFINITY } = this.#options;
    return customer !== null && this.#firstSeen(customer.since, outcomes) < historicUntil;
  }

  #addCustomer({ customer, outcomes }: Person, isHolderThere: boolean): void {
    if (!customer) return;
    const firstSeen = this.#firstSeen(customer.since, outcomes);
    const { id, firstName, lastName, email, phone, isPhoneHolder } = customer;
    const since = instant(firstSeen);
    const terms = this.#options.isSearchable
      ? searchTerms({ firstName, lastName, emails: [email], phones: phone ? [phone] : [] })
      : [];
    this.#customers.add(id, firstName, lastName, email, phone, terms.join('\n'), since, since, since);
    this.#identifiers.add('external_customer_id', customer.externalId, id, since);
    this.#identifiers.add('email', email, id, since);
    if (phone && (isPhoneHolder || isHolderThere))
      (isPhoneHolder ? this.#identifiers : this.#conflicts).add('phone', phone, id, since);
  }

  #addLink({ linkedTo, visitorId, linkedAt }: Browser, people: readonly Person[]): void {
    const person = people.find(({ index }) => index === linkedTo);
    if (!person?.customer || !this.#isThere(person)) return;
    const at = Math.max(linkedAt, this.#firstSeen(person.customer.since, person.outcomes));
    const { historicUntil } = this.#options;
    if (historicUntil === undefined || at < historicUntil) this.#links.add(visitorId, person.customer.id, instant(at));
  }

  #firstSeen(since: number, outcomes: readonly Outcome[]): number {
    if (this.#options.historicUntil === undefined || outcomes.length === 0) return since;
    return Math.min(...outcomes.map(({ at }) => at));
  }
}

/** Some payments arrived without a customer, and the shop assigned one later. */
const isPayerAssigned = ({ id, standing, customerId }: Outcome): boolean =>
  standing !== null && customerId !== null && isOneIn(64, id);

/** Decides by the id's last digits, so that a restarted fill makes the same choice. */
const isOneIn = (many: number, id: string): boolean => Number.parseInt(id.slice(-4), 16) % many === 0;

const instant = (at: number): string => new Date(at).toISOString();
