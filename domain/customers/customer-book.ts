import {
  type Binding,
  byAge,
  byStrength,
  type ErasedIdentifiers,
  type Graves,
  type Holder,
  type Identifier,
  IdentityGraph,
  identifierKey,
  isOfErased,
  isStrongKind,
  withoutErased,
} from '@tributary/rules';
import type { IdentifierKind } from '@tributary/vocabulary';
import { firstOf, termsOf } from './customer-terms.ts';

/** What a message says of a person. */
export interface Said {
  readonly identifiers: readonly Identifier[];
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  /** When what it tells of happened, where it says so. */
  readonly at?: Date | undefined;
  /** When the customer was active, if that is not `at`; null where the message tells of no activity, as a row of an import. */
  readonly seenAt?: Date | null;
}

/** Who says it, and when: kept with whatever follows from it. */
export interface Evidence {
  readonly source: string;
  readonly saidAt: Date;
  readonly requestId: string;
  /** The member or credential that confirmed a merge. */
  readonly confirmedBy?: string | undefined;
}

/** What was said of a customer itself, before the first merge filled it up from others or was refused. */
export type OwnFacts = Omit<CustomerRecord, 'id' | 'createdAt' | 'terms' | 'own'>;

/** A customer but for the identifiers. */
export interface CustomerRecord {
  readonly id: string;
  readonly createdAt: Date;
  /** Where a merge is being written, or what would be one; the store keeps the first. */
  readonly own?: OwnFacts | undefined;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly primaryEmail: string | null;
  readonly primaryPhone: string | null;
  readonly sources: readonly string[];
  readonly terms: readonly string[];
  readonly firstSeenAt: Date;
  readonly lastSeenAt: Date;
}

/** A customer as somebody who holds identifiers. */
export interface KnownCustomer extends CustomerRecord, Pick<Holder, 'nationalId' | 'isStrong' | 'isKeyed'> {
  /** The caller's own key of them, as `findCustomerKeys` finds it. */
  readonly ownKey: string | null;
  /** Whether a merge made them one of several, or was refused. */
  readonly isSeveral?: boolean;
}

/** All of the store that a set of identifiers concerns. */
export interface KnownCustomers {
  readonly customers: readonly KnownCustomer[];
  readonly bindings: readonly Binding[];
  /** Pairs of customers of whom somebody said that they are two people. */
  readonly apart?: readonly (readonly [string, string])[];
  /** Which of the identifiers were somebody's who was erased. */
  readonly erased: ErasedIdentifiers;
}

/** An identifier that was said to be somebody's, and by whom. */
export interface SaidBinding extends Binding {
  readonly evidence: Evidence;
}

/** An identifier that another customer holds. A claim is one of the customer's own names all the same. */
export interface Conflict extends SaidBinding {
  readonly isClaim: boolean;
}

/** An identifier that somebody holds from now on. A merge that is undone finds by `saidOf` whose it is. */
export interface Link extends SaidBinding {
  readonly saidOf: string;
}

export interface Merge {
  readonly evidence: Evidence;
  readonly loserId: string;
  readonly survivorId: string;
  /** Who holds what the loser held, after all merges of the book. */
  readonly finalId: string;
  readonly saidKinds: readonly IdentifierKind[];
  /** The two of whom the message named identifiers: themselves, or such as were merged into them before. */
  readonly named: readonly [string, string];
}

/** Two customers whom a message named: it is about the one, and named the other, too. */
export interface Together {
  readonly one: string;
  readonly other: string;
  readonly saidKinds: readonly IdentifierKind[];
  readonly evidence: Evidence;
}

/** Two customers with different keys who carry one identifier. */
export interface Proposal extends Identifier {
  readonly one: string;
  readonly other: string;
  readonly evidence: Evidence;
}

const toldFacts = ['firstName', 'lastName', 'primaryEmail', 'primaryPhone'] as const;
/** What is kept of a person once, as the first message that told it said it. */
export type ToldFact = (typeof toldFacts)[number];

/** What was said of one of several who are one person. */
export type Facts = Pick<CustomerRecord, ToldFact | 'sources' | 'firstSeenAt' | 'lastSeenAt'> & {
  /** When each was said, where that was after the first merge, or what would have been one; the others were there before. */
  readonly saidAt?: Partial<Readonly<Record<ToldFact, string>>>;
};

/** What a store must do to hold what the book holds. */
export interface BookChanges {
  /** Created or changed, those merged away among them. */
  readonly customers: readonly CustomerRecord[];
  /** To whom each was said to belong, before the merges. */
  readonly links: readonly Link[];
  readonly merges: readonly Merge[];
  readonly conflicts: readonly Conflict[];
  /** In the order in which they were said, each pair once. */
  readonly together: readonly Together[];
  /** Each pair once. */
  readonly proposals: readonly Proposal[];
  /** By the customer that it was said of. */
  readonly ownFacts: ReadonlyMap<string, Facts>;
}

/** The customers that some messages concern, in memory: takes one message after another, and says in the end what changed. */
export class CustomerBook {
  readonly #graph: IdentityGraph;
  readonly #graves: Graves;
  readonly #newId: () => string;
  readonly #known: ReadonlyMap<string, KnownCustomer>;
  readonly #customers: Map<string, CustomerRecord>;
  readonly #changed = new Set<string>();
  readonly #links: Link[] = [];
  /** Of whom each identifier was said. */
  readonly #saidOf: Map<string, string>;
  readonly #ownFacts = new Map<string, Facts>();
  readonly #merges: Omit<Merge, 'finalId'>[] = [];
  readonly #conflicts: Conflict[] = [];
  readonly #together = new Map<string, Together>();
  readonly #proposals = new Map<string, Proposal>();

  constructor({ customers, bindings, apart, erased }: KnownCustomers, newId: () => string) {
    this.#graph = new IdentityGraph(customers, bindings, apart);
    this.#saidOf = new Map(
      bindings.map((binding) => [identifierKey(binding), binding.movedFrom ?? binding.customerId]),
    );
    this.#graves = { erased, holderOf: (identifier) => this.#graph.holderOf(identifier) };
    this.#known = new Map(customers.map((customer) => [customer.id, customer]));
    this.#customers = new Map(this.#known);
    this.#newId = newId;
  }

  /**
   * Undefined where it is about nobody, because whom it names was erased. `saidOf` is the customer that it names, who may have been merged
   * into the one it is about.
   */
  take(
    { identifiers: said, firstName, lastName, at, seenAt }: Said,
    evidence: Evidence,
  ): { customerId: string; saidOf: string; isNew: boolean } | undefined {
    const { source, saidAt } = evidence;
    const identifiers = withoutErased(said, at, this.#graves);
    if (identifiers.length === 0 && said.length > 0) return undefined;
    const holders = byStrength(identifiers).map((one) => {
      const holder = this.#graph.holderOf(one)?.id;
      return { one, holder, saidOf: this.#saidOf.get(identifierKey(one)) ?? holder };
    });
    const { customerId, isNew, merged, linked, conflicts, claimed } = this.#graph.settle(identifiers, {
      id: this.#newId(),
      createdAt: saidAt,
    });
    const active = activityOf(seenAt === undefined ? at : seenAt, saidAt);
    const found = this.#customers.get(customerId) ?? newcomer(customerId, saidAt, active ?? saidAt);
    const isTold = merged.length > 0 || conflicts.length > 0 || claimed.length > 0;
    const customer = isTold && !found.own ? { ...found, own: factsOf(found) } : found;
    // A claim is the customer's own address, too, although another one holds it.
    const carried = [...linked, ...claimed];
    const mentioned = {
      firstName: firstName ?? null,
      lastName: lastName ?? null,
      primaryEmail: firstOf(carried, 'email') ?? null,
      primaryPhone: firstOf(carried, 'phone') ?? null,
      sources: [source],
      terms: [],
      firstSeenAt: active ?? found.firstSeenAt,
      lastSeenAt: active ?? found.lastSeenAt,
    };
    const saidKinds = [...new Set(identifiers.map(({ kind }) => kind))];
    const joined = this.#namedOf(holders, new Set([customerId, ...merged]));
    const [[first, saidOf] = [customerId, customerId]] = joined;
    const losers = merged.map((loserId) => {
      const other = loserId === first ? customerId : loserId;
      const named = [saidOf, joined.get(other) ?? other] as const;
      return this.#mergeAway({ loserId, survivorId: customerId, saidKinds, named, evidence });
    });
    const whole = [...losers, mentioned].reduce(filled, customer);
    this.#write({ ...whole, terms: termsOf(whole, carried) });
    if (whole.own || this.#known.get(customerId)?.isSeveral) this.#noteFacts(saidOf, mentioned, saidAt);
    for (const identifier of linked) this.#saidOf.set(identifierKey(identifier), saidOf);
    this.#links.push(...linked.map((identifier) => ({ ...identifier, customerId, saidOf, evidence })));
    for (const [isClaim, some] of [
      [true, claimed],
      [false, conflicts],
    ] as const)
      this.#conflicts.push(...some.map((identifier) => ({ ...identifier, customerId, evidence, isClaim })));
    for (const { one, holder, saidOf: other } of holders) {
      const isFoundBy = holder !== undefined && holder !== first && joined.get(holder) === other;
      if (holder && other && other !== saidOf && (isStrongKind(one.kind) || isFoundBy))
        this.#noteTogether({ one: saidOf, other, saidKinds, evidence });
      if (holder && claimed.includes(one)) this.#propose(one, saidOf, other ?? holder, evidence);
      if (holder && (conflicts.includes(one) || claimed.includes(one))) this.#keepOwn(holder);
    }
    return { customerId, saidOf, isNew };
  }

  /** Merges two customers because a member confirmed it. Resolves to the survivor's id, which is the older one's. */
  join(one: string, other: string, saidKinds: readonly IdentifierKind[], evidence: Evidence): string {
    const [survivor, loser] = [one, other].map((id) => this.#customers.get(id) as CustomerRecord).sort(byAge) as [
      CustomerRecord,
      CustomerRecord,
    ];
    this.#graph.merge(loser.id, survivor.id);
    const found = survivor.own ? survivor : { ...survivor, own: factsOf(survivor) };
    const named = [survivor.id, loser.id] as const;
    const merged = this.#mergeAway({ loserId: loser.id, survivorId: survivor.id, saidKinds, named, evidence });
    this.#write(filled(found, merged));
    return survivor.id;
  }

  /** Whether a message tells of the time before whom it names was erased. */
  isOfErased({ identifiers, at }: Said): boolean {
    return isOfErased(identifiers, at, this.#graves);
  }

  /** Whom a customer has become by now. */
  survivorOf(customerId: string): string {
    return this.#graph.survivorOf(customerId);
  }

  /** Customers that this book made, and nobody else can know of: none where it merged any. */
  newcomers(): ReadonlySet<string> {
    const made = this.#merges.length > 0 ? [] : [...this.#changed].filter((id) => !this.#known.has(id));
    return new Set(made);
  }

  /** The caller's own key of each customer where it follows from the book; of the others the store must be asked. */
  ownKeys(): ReadonlyMap<string, string | null> {
    if (this.#merges.length > 0) return new Map();
    const said = Map.groupBy(
      this.#links.filter(({ kind }) => kind === 'external_customer_id'),
      ({ customerId }) => customerId,
    );
    return new Map(
      [...this.#customers.keys()].flatMap((id) => {
        const known = this.#known.get(id);
        const [first, ...others] = said.get(id) ?? [];
        if (!first) return [[id, known?.ownKey ?? null]];
        // Which of several is the first the store decides.
        return known || others.length > 0 ? [] : [[id, first.value]];
      }),
    );
  }

  changes(): BookChanges {
    return {
      customers: [...this.#changed].map((id) => this.#customers.get(id) as CustomerRecord),
      links: this.#links,
      merges: this.#merges.map((merge) => ({ ...merge, finalId: this.survivorOf(merge.loserId) })),
      conflicts: this.#conflicts,
      together: [...this.#together.values()],
      proposals: [...this.#proposals.values()],
      ownFacts: this.#ownFacts,
    };
  }

  /** Of each of the holders, whom the strongest identifier that found it was said of; the first is whom the message is about. */
  #namedOf(
    found: readonly { readonly holder: string | undefined; readonly saidOf: string | undefined }[],
    joined: ReadonlySet<string>,
  ): Map<string, string> {
    const named = new Map<string, string>();
    for (const { holder, saidOf } of found)
      if (holder && saidOf && joined.has(holder) && !named.has(holder)) named.set(holder, saidOf);
    return named;
  }

  #noteTogether(pair: Together): void {
    const key = `${pair.one} ${pair.other}`;
    if (!this.#together.has(key)) this.#together.set(key, pair);
  }

  /** The strongest identifier that both carry is the evidence. */
  #propose({ kind, value }: Identifier, some: string, others: string, evidence: Evidence): void {
    const [one, other] = [some, others].sort() as [string, string];
    const key = `${one} ${other}`;
    if (!this.#proposals.has(key)) this.#proposals.set(key, { one, other, kind, value, evidence });
  }

  /** Should they become one person by what was said now, it must be known what was told of them since. */
  #keepOwn(customerId: string): void {
    const customer = this.#customers.get(customerId) as CustomerRecord;
    if (!customer.own && !this.#known.get(customerId)?.isSeveral) this.#write({ ...customer, own: factsOf(customer) });
  }

  #noteFacts(saidOf: string, said: Facts, at: Date): void {
    const times = toldFacts.flatMap((fact) => (said[fact] === null ? [] : [[fact, at.toISOString()]]));
    const facts = { ...said, saidAt: Object.fromEntries(times) };
    const before = this.#ownFacts.get(saidOf);
    this.#ownFacts.set(saidOf, before ? filledFacts(before, facts) : facts);
  }

  /** The loser keeps its facts, for a merge may be undone, but is no longer found. */
  #mergeAway(merge: Omit<Merge, 'finalId'>): CustomerRecord {
    const loser = this.#customers.get(merge.loserId) as CustomerRecord;
    this.#write({ ...loser, terms: [] });
    this.#merges.push(merge);
    return loser;
  }

  #write(customer: CustomerRecord): void {
    this.#customers.set(customer.id, customer);
    this.#changed.add(customer.id);
  }
}

const factsOf = ({ id: _id, createdAt: _created, terms: _terms, own: _own, ...facts }: CustomerRecord): OwnFacts =>
  facts;

/** When a customer was active, as a message tells: never after it was sent. Undefined where it tells of no activity. */
const activityOf = (seenAt: Date | null | undefined, saidAt: Date): Date | undefined =>
  seenAt === null ? undefined : seenAt === undefined || seenAt > saidAt ? saidAt : seenAt;

const newcomer = (id: string, at: Date, seenAt: Date): CustomerRecord => ({
  id,
  createdAt: at,
  firstName: null,
  lastName: null,
  primaryEmail: null,
  primaryPhone: null,
  sources: [],
  terms: [],
  firstSeenAt: seenAt,
  lastSeenAt: seenAt,
});

/** What a customer lacks is filled from another; what it has stays. */
function filled(customer: CustomerRecord, other: Omit<CustomerRecord, 'id' | 'createdAt' | 'own'>): CustomerRecord {
  const terms = [...new Set([...customer.terms, ...other.terms])];
  return { ...customer, ...filledFacts(customer, other), terms };
}

export function filledFacts(some: Facts, others: Facts): Facts {
  const times = toldFacts.flatMap((fact) => {
    const at = (some[fact] === null ? others : some).saidAt?.[fact];
    return at ? [[fact, at]] : [];
  });
  return {
    ...(times.length > 0 && { saidAt: Object.fromEntries(times) }),
    firstName: some.firstName ?? others.firstName,
    lastName: some.lastName ?? others.lastName,
    primaryEmail: some.primaryEmail ?? others.primaryEmail,
    primaryPhone: some.primaryPhone ?? others.primaryPhone,
    sources: [...new Set([...some.sources, ...others.sources])],
    firstSeenAt: new Date(Math.min(some.firstSeenAt.getTime(), others.firstSeenAt.getTime())),
    lastSeenAt: new Date(Math.max(some.lastSeenAt.getTime(), others.lastSeenAt.getTime())),
  };
}
