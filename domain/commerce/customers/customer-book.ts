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

/** The part of a message that identifies and describes a customer. */
export interface CustomerMessage {
  readonly identifiers: readonly Identifier[];
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  /** When the reported activity happened, if the message contains a time. */
  readonly at?: Date | undefined;
  /** When the customer was active, if it differs from `at`; null when the message reports no activity, as in an import. */
  readonly seenAt?: Date | null;
}

/** Source and time of a message, stored with every link, merge and conflict that it causes. */
export interface Evidence {
  readonly source: string;
  readonly saidAt: Date;
  readonly requestId: string;
  /** The member or credential that confirmed a merge. */
  readonly confirmedBy?: string | undefined;
}

/** The customer's own facts, before a merge or a refused merge added facts of others. */
export type OwnFacts = Omit<CustomerRecord, 'id' | 'createdAt' | 'terms' | 'own'>;

/** A customer without its identifiers. */
export interface CustomerRecord {
  readonly id: string;
  readonly createdAt: Date;
  /** Set when a merge, or a refused one, is written. The database keeps the first value. */
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

/** A stored customer with what identity resolution needs to know about its identifiers. */
export interface ExistingCustomer extends CustomerRecord, Pick<Holder, 'nationalId' | 'isStrong' | 'isKeyed'> {
  /** The caller's own key of the customer, as `findCustomerKeys` returns it. */
  readonly ownKey: string | null;
  /** Whether the customer has a merge, or a refused one. */
  readonly isSeveral?: boolean;
}

/** All stored data that a set of identifiers concerns. */
export interface OpenedCustomers {
  readonly customers: readonly ExistingCustomer[];
  readonly bindings: readonly Binding[];
  /** Pairs of customers that must not be merged, because a merge of them was undone. */
  readonly apart?: readonly (readonly [string, string])[];
  /** The identifiers that belonged to erased customers. */
  readonly erased: ErasedIdentifiers;
}

/** A binding of an identifier to a customer, with its source. */
export interface SourcedBinding extends Binding {
  readonly evidence: Evidence;
}

/** An identifier in a message about this customer that another customer holds. A claim still counts as the customer's own contact data. */
export interface Conflict extends SourcedBinding {
  readonly isClaim: boolean;
}

/** A new binding. `saidOf` is the customer that the message named; undoing a merge returns the identifier to it. */
export interface Link extends SourcedBinding {
  readonly saidOf: string;
}

export interface Merge {
  readonly evidence: Evidence;
  readonly loserId: string;
  readonly survivorId: string;
  /** The survivor after all merges of the book; it holds the loser's identifiers. */
  readonly finalId: string;
  readonly saidKinds: readonly IdentifierKind[];
  /** The two customers whose identifiers the message contained: the merged ones, or customers merged into them earlier. */
  readonly named: readonly [string, string];
}

/** Two customers whose identifiers one message contained. The message is about `one`. */
export interface CoMention {
  readonly one: string;
  readonly other: string;
  readonly saidKinds: readonly IdentifierKind[];
  readonly evidence: Evidence;
}

/** A proposal to merge two customers with different keys that share an identifier. */
export interface Proposal extends Identifier {
  readonly one: string;
  readonly other: string;
  readonly evidence: Evidence;
}

const factNames = ['firstName', 'lastName', 'primaryEmail', 'primaryPhone'] as const;
/** A fact of which the first value is kept. */
export type FactName = (typeof factNames)[number];

/** The own facts of one of several merged customers. */
export type Facts = Pick<CustomerRecord, FactName | 'sources' | 'firstSeenAt' | 'lastSeenAt'> & {
  /** When each fact was stated, if that was after the first merge or refused merge; absent facts are older. */
  readonly saidAt?: Partial<Readonly<Record<FactName, string>>>;
};

/** The writes that bring the database to the state of the book. */
export interface BookChanges {
  /** Created and changed customers, including those merged away. */
  readonly customers: readonly CustomerRecord[];
  /** New bindings, before the merges are applied. */
  readonly links: readonly Link[];
  readonly merges: readonly Merge[];
  readonly conflicts: readonly Conflict[];
  /** In message order, each pair once. */
  readonly together: readonly CoMention[];
  /** Each pair once. */
  readonly proposals: readonly Proposal[];
  /** By the customer that the message named. */
  readonly ownFacts: ReadonlyMap<string, Facts>;
}

/** Applies messages to customers in memory, one by one, and collects the changes to write. */
export class CustomerBook {
  readonly #graph: IdentityGraph;
  readonly #erasure: Graves;
  readonly #newId: () => string;
  readonly #existing: ReadonlyMap<string, ExistingCustomer>;
  readonly #customers: Map<string, CustomerRecord>;
  readonly #changed = new Set<string>();
  readonly #links: Link[] = [];
  /** The customer that each identifier was stated for. */
  readonly #saidOf: Map<string, string>;
  readonly #ownFacts = new Map<string, Facts>();
  readonly #merges: Omit<Merge, 'finalId'>[] = [];
  readonly #conflicts: Conflict[] = [];
  readonly #coMentions = new Map<string, CoMention>();
  readonly #proposals = new Map<string, Proposal>();

  constructor({ customers, bindings, apart, erased }: OpenedCustomers, newId: () => string) {
    this.#graph = new IdentityGraph(customers, bindings, apart);
    this.#saidOf = new Map(
      bindings.map((binding) => [identifierKey(binding), binding.movedFrom ?? binding.customerId]),
    );
    this.#erasure = { erased, holderOf: (identifier) => this.#graph.holderOf(identifier) };
    this.#existing = new Map(customers.map((customer) => [customer.id, customer]));
    this.#customers = new Map(this.#existing);
    this.#newId = newId;
  }

  /**
   * Applies a message. Returns undefined when all of its identifiers belong to an erased customer. `saidOf` is the customer that the message
   * names; `customerId` is the one it was merged into, if any.
   */
  take(
    { identifiers: stated, firstName, lastName, at, seenAt }: CustomerMessage,
    evidence: Evidence,
  ): { customerId: string; saidOf: string; isNew: boolean } | undefined {
    const { source, saidAt } = evidence;
    const identifiers = withoutErased(stated, at, this.#erasure);
    if (identifiers.length === 0 && stated.length > 0) return undefined;
    const holders = byStrength(identifiers).map((one) => {
      const holder = this.#graph.holderOf(one)?.id;
      return { one, holder, saidOf: this.#saidOf.get(identifierKey(one)) ?? holder };
    });
    const { customerId, isNew, merged, linked, conflicts, claimed } = this.#graph.settle(identifiers, {
      id: this.#newId(),
      createdAt: saidAt,
    });
    const active = getActivityTime(seenAt === undefined ? at : seenAt, saidAt);
    const found = this.#customers.get(customerId) ?? createRecord(customerId, saidAt, active ?? saidAt);
    const needsOwnFacts = merged.length > 0 || conflicts.length > 0 || claimed.length > 0;
    const customer = needsOwnFacts && !found.own ? { ...found, own: getOwnFacts(found) } : found;
    // A claim counts as the customer's own contact data, although another customer holds the identifier.
    const ownIdentifiers = [...linked, ...claimed];
    const mentioned = {
      firstName: firstName ?? null,
      lastName: lastName ?? null,
      primaryEmail: firstOf(ownIdentifiers, 'email') ?? null,
      primaryPhone: firstOf(ownIdentifiers, 'phone') ?? null,
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
    this.#write({ ...whole, terms: termsOf(whole, ownIdentifiers) });
    if (whole.own || this.#existing.get(customerId)?.isSeveral) this.#addOwnFacts(saidOf, mentioned, saidAt);
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
        this.#addCoMention({ one: saidOf, other, saidKinds, evidence });
      if (holder && claimed.includes(one)) this.#addProposal(one, saidOf, other ?? holder, evidence);
      if (holder && (conflicts.includes(one) || claimed.includes(one))) this.#storeOwnFacts(holder);
    }
    return { customerId, saidOf, isNew };
  }

  /** Merges two customers after a member confirmed it. Returns the survivor's id, which is that of the older one. */
  join(one: string, other: string, saidKinds: readonly IdentifierKind[], evidence: Evidence): string {
    const [survivor, loser] = [one, other].map((id) => this.#customers.get(id) as CustomerRecord).sort(byAge) as [
      CustomerRecord,
      CustomerRecord,
    ];
    this.#graph.merge(loser.id, survivor.id);
    const found = survivor.own ? survivor : { ...survivor, own: getOwnFacts(survivor) };
    const named = [survivor.id, loser.id] as const;
    const merged = this.#mergeAway({ loserId: loser.id, survivorId: survivor.id, saidKinds, named, evidence });
    this.#write(filled(found, merged));
    return survivor.id;
  }

  /** Whether a message is about the time before the customer it names was erased. */
  isOfErased({ identifiers, at }: CustomerMessage): boolean {
    return isOfErased(identifiers, at, this.#erasure);
  }

  /** The customer that this one was merged into, or its own id. */
  survivorOf(customerId: string): string {
    return this.#graph.survivorOf(customerId);
  }

  /** Customers created by this book that no other transaction can know. Empty when the book merged any. */
  newcomers(): ReadonlySet<string> {
    const created = this.#merges.length > 0 ? [] : [...this.#changed].filter((id) => !this.#existing.has(id));
    return new Set(created);
  }

  /** The caller's own key of each customer, where the book determines it. The others have to be queried. */
  ownKeys(): ReadonlyMap<string, string | null> {
    if (this.#merges.length > 0) return new Map();
    const keyLinks = Map.groupBy(
      this.#links.filter(({ kind }) => kind === 'external_customer_id'),
      ({ customerId }) => customerId,
    );
    return new Map(
      [...this.#customers.keys()].flatMap((id) => {
        const existing = this.#existing.get(id);
        const [first, ...others] = keyLinks.get(id) ?? [];
        if (!first) return [[id, existing?.ownKey ?? null]];
        // With several keys, the database decides which one is first.
        return existing || others.length > 0 ? [] : [[id, first.value]];
      }),
    );
  }

  changes(): BookChanges {
    return {
      customers: [...this.#changed].map((id) => this.#customers.get(id) as CustomerRecord),
      links: this.#links,
      merges: this.#merges.map((merge) => ({ ...merge, finalId: this.survivorOf(merge.loserId) })),
      conflicts: this.#conflicts,
      together: [...this.#coMentions.values()],
      proposals: [...this.#proposals.values()],
      ownFacts: this.#ownFacts,
    };
  }

  /** For each holder, the customer that its strongest matching identifier was stated for. The first entry is the one the message is about. */
  #namedOf(
    found: readonly { readonly holder: string | undefined; readonly saidOf: string | undefined }[],
    joined: ReadonlySet<string>,
  ): Map<string, string> {
    const named = new Map<string, string>();
    for (const { holder, saidOf } of found)
      if (holder && saidOf && joined.has(holder) && !named.has(holder)) named.set(holder, saidOf);
    return named;
  }

  #addCoMention(pair: CoMention): void {
    const key = `${pair.one} ${pair.other}`;
    if (!this.#coMentions.has(key)) this.#coMentions.set(key, pair);
  }

  /** Proposes a merge once per pair. Identifiers come strongest first, so the first one is stored as evidence. */
  #addProposal({ kind, value }: Identifier, some: string, others: string, evidence: Evidence): void {
    const [one, other] = [some, others].sort() as [string, string];
    const key = `${one} ${other}`;
    if (!this.#proposals.has(key)) this.#proposals.set(key, { one, other, kind, value, evidence });
  }

  /** Stores the customer's own facts from now on, because this conflict may later turn into a merge that has to be undone. */
  #storeOwnFacts(customerId: string): void {
    const customer = this.#customers.get(customerId) as CustomerRecord;
    if (!customer.own && !this.#existing.get(customerId)?.isSeveral)
      this.#write({ ...customer, own: getOwnFacts(customer) });
  }

  #addOwnFacts(saidOf: string, stated: Facts, at: Date): void {
    const times = factNames.flatMap((fact) => (stated[fact] === null ? [] : [[fact, at.toISOString()]]));
    const facts = { ...stated, saidAt: Object.fromEntries(times) };
    const before = this.#ownFacts.get(saidOf);
    this.#ownFacts.set(saidOf, before ? filledFacts(before, facts) : facts);
  }

  /** Removes the loser from search. Its facts are kept, because a merge may be undone. */
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

const getOwnFacts = ({ id: _id, createdAt: _created, terms: _terms, own: _own, ...facts }: CustomerRecord): OwnFacts =>
  facts;

/** The activity time of a message, capped at the time it was sent. Undefined when it reports no activity. */
const getActivityTime = (seenAt: Date | null | undefined, saidAt: Date): Date | undefined =>
  seenAt === null ? undefined : seenAt === undefined || seenAt > saidAt ? saidAt : seenAt;

const createRecord = (id: string, at: Date, seenAt: Date): CustomerRecord => ({
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

/** Fills missing facts from another customer; existing ones stay. */
function filled(customer: CustomerRecord, other: Omit<CustomerRecord, 'id' | 'createdAt' | 'own'>): CustomerRecord {
  const terms = [...new Set([...customer.terms, ...other.terms])];
  return { ...customer, ...filledFacts(customer, other), terms };
}

export function filledFacts(some: Facts, others: Facts): Facts {
  const times = factNames.flatMap((fact) => {
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
