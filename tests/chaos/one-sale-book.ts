import { numbersFrom } from './numbers-from.ts';
import { type Currency, least as lesser } from './payments-book.ts';

/** The simulator's books: what was sold, which sources report it, and how it must be counted. It does not use the product's matching. */

/** In a profile's order of preference. */
export const sources = ['stripe', 'shopify', 'api', 'csv'] as const;
export type Source = (typeof sources)[number];

export interface Person {
  readonly n: number;
  /** The shop's server reports the customer by its own key, and reports separately which e-mail address belongs to the key. */
  readonly isKeyed: boolean;
  readonly isErased: boolean;
}

export interface BookedRecord {
  readonly key: string;
  readonly source: Source;
  readonly at: number;
  readonly amount: bigint;
  readonly currency: Currency;
  /** Null: the source does not name the customer. */
  readonly person: Person | null;
  readonly properties: Readonly<Record<string, string>>;
  /** The properties arrive with a later correction. */
  readonly isCompletedLater: boolean;
}

export interface BookedRefund {
  readonly n: number;
  readonly amount: bigint;
  readonly reportedBy: readonly Source[];
}

export const kinds = [
  'referenced',
  'named',
  'alone',
  'equal',
  'plan',
  'fees',
  'foreign',
  'partial',
  'lookalike',
  'currencies',
  'mixed',
] as const;
export type Kind = (typeof kinds)[number];

export interface BookedSale {
  readonly n: number;
  readonly kind: Kind;
  readonly records: readonly BookedRecord[];
  readonly refunds: readonly BookedRefund[];
  /** The reports of the sources are not enough for a rule to decide, so a member decides. The sales of one group look like one sale. */
  readonly undecided?: { readonly group: number; readonly decision: 'confirmed' | 'rejected' };
}

export interface Book {
  readonly people: readonly Person[];
  readonly sales: readonly BookedSale[];
  /** E-mail addresses of one customer that are reported with the key of another by mistake. */
  readonly mistakes: readonly { readonly keyOf: Person; readonly emailOf: Person }[];
}

const minute = 60_000;
const day = 86_400_000;
const start = Date.UTC(2026, 4, 1);

/** Shares in percent. Few sales are of kinds that rules cannot decide, because each of those costs a decision. */
const shares: readonly (readonly [Kind, number])[] = [
  ['referenced', 24],
  ['named', 40],
  ['alone', 14],
  ['equal', 6],
  ['plan', 4],
  ['fees', 4],
  ['currencies', 3],
  ['foreign', 1],
  ['partial', 1],
  ['lookalike', 1],
  ['mixed', 2],
];

export function writeBook(size: number, seed: number): Book {
  const dice = numbersFrom(seed);
  const chance = (share: number) => dice() < share;
  const below = (most: number) => Math.floor(dice() * most);
  const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T;
  /** Picks a customer who is not erased: what is left of an erased record is not enough for a member to decide. */
  const pickUnerased = () => {
    for (;;) {
      const person = pick(people);
      if (!person.isErased) return person;
    }
  };
  const people = Array.from({ length: Math.max(20, Math.ceil(size / 4)) }, (_, n): Person => {
    const isKeyed = chance(0.3);
    return { n, isKeyed, isErased: !isKeyed && chance(0.02) };
  });
  /** Customers who are merged by mistake. They have no other purchases. */
  const mixedUp: Person[] = [];
  const sales: BookedSale[] = [];
  const mistakes: Book['mistakes'][number][] = [];
  let [saleNumber, recordNumber, refundNumber] = [0, 0, 0];

  /** Amounts in use per customer and currency. An amount is used once, so that only purchases that are meant to look alike do. */
  const used = new Set<string>();
  const priceFor = (who: readonly Person[], currency: Currency): bigint => {
    for (;;) {
      const price = BigInt(990 + 100 * below(200) + (chance(0.5) ? below(100) : 0));
      const marks = who.map(({ n }) => `${n} ${currency} ${price}`);
      if (marks.some((mark) => used.has(mark))) continue;
      for (const mark of marks) used.add(mark);
      return price;
    }
  };
  const timeOf = () => start + below(26) * day + (2 + below(20)) * 3_600_000 + below(3_600) * 1_000;
  const within = (minutes: number) => below(minutes * 60) * 1_000;
  const record = (
    source: Source,
    of: Pick<BookedRecord, 'at' | 'amount' | 'currency' | 'person'> & Partial<BookedRecord>,
  ): BookedRecord => {
    recordNumber += 1;
    return { key: keys[source](recordNumber), source, properties: {}, isCompletedLater: false, ...of };
  };
  const sale = (kind: Kind, records: readonly BookedRecord[], more: Partial<BookedSale> = {}) => {
    saleNumber += 1;
    sales.push({ n: saleNumber, kind, records, refunds: [], ...more });
  };
  const refundsOf = (records: readonly BookedRecord[], isOneSided = false): BookedRefund[] => {
    if (!chance(0.2)) return [];
    const least = records.reduce((low, { amount }) => lesser(amount, low), records[0]?.amount ?? 0n);
    const everywhere = records.map(({ source }) => source);
    const pickReporters = () => (isOneSided || chance(0.5) ? [pick(everywhere)] : everywhere);
    if (chance(0.2)) return [refund(least, pickReporters())];
    // Only the number of equal refunds distinguishes them, so a source reports both or neither.
    if (chance(0.2)) {
      const reporters = pickReporters();
      return [refund(least / 4n, reporters), refund(least / 4n, reporters)];
    }
    return [refund(least / 3n, pickReporters()), ...(chance(0.4) ? [refund(least / 5n, pickReporters())] : [])];
  };
  const refund = (amount: bigint, reportedBy: readonly Source[]): BookedRefund => {
    refundNumber += 1;
    return { n: refundNumber, amount, reportedBy };
  };
  const someSources = (least: number): Source[] => {
    for (;;) {
      const some = sources.filter((_, index) => chance(index < 2 ? 0.75 : 0.6));
      if (some.length >= least) return some;
    }
  };
  const currencyOf = (): Currency => (chance(0.8) ? 'USD' : chance(0.7) ? 'CLP' : 'KWD');

  const makers: Record<Kind, () => void> = {
    /** Matches by references alone: times differ by up to two days, and customers may be missing. */
    referenced() {
      const [person, currency, at] = [pick(people), currencyOf(), timeOf()];
      const amount = priceFor([person], currency);
      const later = () => at + within(2 * 24 * 60);
      const money = { amount, currency };
      const provider = chance(0.65) ? record('stripe', { ...money, at: later(), person }) : undefined;
      const store = !provider || chance(0.3) ? record('shopify', { ...money, at: later(), person }) : undefined;
      const properties = {
        ...(provider && { [pick(['payment_id', 'transaction_id'])]: pick([provider.key, intentOf(provider.key)]) }),
        ...(store && { order_id: store.key }),
      };
      const witnesses = chance(0.3) ? (['api', 'csv'] as const) : ([chance(0.7) ? 'api' : 'csv'] as const);
      const records = [
        ...[provider, store].filter((one) => one !== undefined),
        ...witnesses.map((source) =>
          record(source, {
            ...money,
            at,
            person: chance(0.25) ? null : person,
            properties,
            isCompletedLater: source === 'api' && !person.isErased && chance(0.15),
          }),
        ),
      ];
      sale('referenced', records, { refunds: refundsOf(records) });
    },
    /** Matches by customer, amount and time alone. */
    named() {
      const [person, currency, at] = [pick(people), currencyOf(), timeOf()];
      const amount = priceFor([person], currency);
      const records = someSources(2).map((source) => record(source, { at: at + within(8), amount, currency, person }));
      sale('named', records, { refunds: refundsOf(records) });
    },
    alone() {
      const [person, currency] = [pick(people), currencyOf()];
      const amount = priceFor([person], currency);
      const source = pick(sources);
      const isNamed = source === 'shopify' || chance(0.8);
      const records = [record(source, { at: timeOf(), amount, currency, person: isNamed ? person : null })];
      sale('alone', records, { refunds: refundsOf(records) });
    },
    /** The same purchase twice within a minute: reported by both sources, or one of the two by one source only. */
    equal() {
      const [person, at] = [pick(people), timeOf()];
      const amount = priceFor([person], 'USD');
      const [first, second] = someSources(2) as [Source, Source];
      const delays = new Map<Source, number>([
        [first, within(4)],
        [second, within(4)],
      ]);
      const gap = 10_000 + within(0.8);
      const missing = chance(0.5) ? undefined : pick([0, 1]);
      for (const index of [0, 1]) {
        const names = index === missing ? [first] : [first, second];
        const records = names.map((source) =>
          record(source, {
            at: at + index * gap + (delays.get(source) ?? 0),
            amount,
            currency: 'USD',
            person,
          }),
        );
        // A single record could belong to either of the two, so only one of them is refunded.
        const refunds = index === missing ? [] : refundsOf(records, missing !== undefined);
        sale('equal', records, { refunds });
      }
    },
    /** Installments of one order, two of them on one day. */
    plan() {
      const [person, at] = [pick(people), timeOf()];
      const amount = priceFor([person], 'USD');
      const hasProvider = chance(0.5);
      const order = `plan-${saleNumber}-${person.n}`;
      for (const [index, apart] of [0, 2 * 60 * minute, day].entries()) {
        const paidAt = at + apart;
        const properties = { order_id: order, installment: String(index + 1) };
        const named = hasProvider || chance(0.7) ? person : null;
        const records = (['api', 'csv'] as const).map((source) =>
          record(source, { at: paidAt + within(4), amount, currency: 'USD', person: named, properties }),
        );
        if (hasProvider) records.unshift(record('stripe', { at: paidAt + within(4), amount, currency: 'USD', person }));
        sale('plan', records, { refunds: refundsOf(records) });
      }
    },
    /** One of two records lacks a tip or a fee. Both refer to the same payment. */
    fees() {
      const [person, currency, at] = [pick(people), currencyOf(), timeOf()];
      const amount = priceFor([person], currency);
      const charge = record('stripe', { at, amount, currency, person });
      const properties = { payment_id: charge.key };
      const other = record('api', { at: at + within(60), amount: amount - amount / 20n, currency, person, properties });
      sale('fees', [charge, other], { refunds: refundsOf([charge, other]) });
    },
    /** Reported in two currencies: proposed, and counted once when a member confirms it. */
    foreign() {
      const [person, at] = [pickUnerased(), timeOf()];
      const charge = record('stripe', { at, amount: priceFor([person], 'CLP'), currency: 'CLP', person });
      const properties = { payment_id: charge.key };
      const amount = priceFor([person], 'USD');
      const other = record('api', { at: at + within(5), amount, currency: 'USD', person, properties });
      sale('foreign', [charge, other], { undecided: { group: saleNumber, decision: 'confirmed' } });
    },
    /** The same order reference with another amount, for example without shipping: proposed, and confirmed by a member. */
    partial() {
      const [person, at] = [pickUnerased(), timeOf()];
      const order = record('shopify', { at, amount: priceFor([person], 'USD'), currency: 'USD', person });
      const properties = { order_id: order.key };
      const amount = priceFor([person], 'USD');
      const other = record('api', { at: at + within(30), amount, currency: 'USD', person, properties });
      sale('partial', [order, other], { undecided: { group: saleNumber, decision: 'confirmed' } });
    },
    /** Two equal purchases within minutes, each reported by one of two sources: they look like one sale until a member rejects the match. */
    lookalike() {
      const [person, at] = [pickUnerased(), timeOf()];
      const amount = priceFor([person], 'USD');
      const undecided = { group: saleNumber, decision: 'rejected' } as const;
      sale('lookalike', [record('stripe', { at, amount, currency: 'USD', person })], { undecided });
      sale('lookalike', [record('api', { at: at + within(3), amount, currency: 'USD', person })], { undecided });
    },
    /** Two sales of the same figure in two currencies within a minute. */
    currencies() {
      const [person, at] = [pick(people), timeOf()];
      const pesos = 1_000n + BigInt(below(90_000));
      sale('currencies', [record('stripe', { at, amount: pesos * 100n, currency: 'USD', person })]);
      sale('currencies', [record('api', { at: at + within(1), amount: pesos, currency: 'CLP', person })]);
    },
    /** Two customers who buy the same within minutes. They are merged by mistake until the merge is undone. */
    mixed() {
      const n = people.length + mixedUp.length;
      const [keyOf, emailOf] = [
        { n, isKeyed: true, isErased: false },
        { n: n + 1, isKeyed: false, isErased: false },
      ];
      mixedUp.push(keyOf, emailOf);
      mistakes.push({ keyOf, emailOf });
      const at = timeOf();
      const amount = priceFor([keyOf, emailOf], 'USD');
      sale('mixed', [record('api', { at, amount, currency: 'USD', person: keyOf })]);
      sale('mixed', [record('stripe', { at: at + within(4), amount, currency: 'USD', person: emailOf })]);
    },
  };
  const drawKind = (): Kind => {
    let left = below(100);
    for (const [kind, share] of shares) {
      left -= share;
      if (left < 0) return kind;
    }
    return 'named';
  };
  while (sales.length < size) makers[drawKind()]();
  return { people, sales, mistakes };
}

const keys: Record<Source, (n: number) => string> = {
  stripe: (n) => `ch_${String(n).padStart(12, '0')}`,
  shopify: (n) => String(5_000_000_000 + n),
  api: (n) => `server-${n}`,
  csv: (n) => `file-row-${n}`,
};
export const intentOf = (charge: string): string => charge.replace('ch_', 'pi_');

/** Returns the record of each sale that counts, and its net amount. Before members decide, records that look like one sale count as one. */
export function countedOf(book: Book, isDecided: boolean) {
  const groups: { records: readonly BookedRecord[]; refunds: readonly BookedRefund[] }[] = [];
  const lookalikes = new Map<number, BookedRecord[]>();
  for (const { records, refunds, undecided } of book.sales) {
    if (isDecided || !undecided) groups.push({ records, refunds });
    else if (undecided.decision === 'confirmed') groups.push(...records.map((one) => ({ records: [one], refunds })));
    else lookalikes.set(undecided.group, [...(lookalikes.get(undecided.group) ?? []), ...records]);
  }
  for (const records of lookalikes.values()) groups.push({ records, refunds: [] });
  return groups.map(({ records, refunds }) => {
    const counted = records.toSorted((a, b) => sources.indexOf(a.source) - sources.indexOf(b.source))[0];
    if (!counted) throw new Error('A sale has a record.');
    const back = refunds.reduce((sum, { amount }) => sum + amount, 0n);
    return { counted, records, net: counted.amount - lesser(back, counted.amount) };
  });
}
