import {
  type Binding,
  type ErasedIdentifiers,
  type Graves,
  type Holder,
  type Identifier,
  IdentityGraph,
  isOfErased,
  maxTermsOfCustomer,
  searchTerms,
  withoutErased,
} from '@tributary/rules';
import type { IdentifierKind } from '@tributary/vocabulary';

/** What a message says of a person. */
export interface Said {
  readonly identifiers: readonly Identifier[];
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  /** When what it tells of happened, where it says so. */
  readonly at?: Date | undefined;
}

/** Who says it, and when: kept with whatever follows from it. */
export interface Evidence {
  readonly source: string;
  readonly saidAt: Date;
  readonly requestId: string;
}

/** What was said of a customer itself, before the first merge filled it up from others. */
export type OwnFacts = Omit<CustomerRecord, 'id' | 'createdAt' | 'terms' | 'own'>;

/** A customer but for the identifiers. */
export interface CustomerRecord {
  readonly id: string;
  readonly createdAt: Date;
  /** Where a merge is being written; the store keeps the first. */
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

/** All of the store that a set of identifiers concerns. */
export interface KnownCustomers {
  readonly customers: readonly (CustomerRecord & Pick<Holder, 'nationalId' | 'isStrong'>)[];
  readonly bindings: readonly Binding[];
  /** Which of the identifiers were somebody's who was erased. */
  readonly erased: ErasedIdentifiers;
}

export interface Merge {
  readonly loserId: string;
  readonly survivorId: string;
  /** Who holds what the loser held, after all merges of the book. */
  readonly finalId: string;
  readonly saidKinds: readonly IdentifierKind[];
}

/** What a store must do to hold what the book holds. */
export interface BookChanges {
  /** Created or changed, those merged away among them. */
  readonly customers: readonly CustomerRecord[];
  /** To whom each was said to belong, before the merges. */
  readonly links: readonly Binding[];
  readonly merges: readonly Merge[];
  readonly conflicts: readonly Binding[];
}

/** The customers that some messages concern, in memory: takes one message after another, and says in the end what changed. */
export class CustomerBook {
  readonly #graph: IdentityGraph;
  readonly #graves: Graves;
  readonly #evidence: Evidence;
  readonly #newId: () => string;
  readonly #customers: Map<string, CustomerRecord>;
  readonly #changed = new Set<string>();
  readonly #links: Binding[] = [];
  readonly #merges: Omit<Merge, 'finalId'>[] = [];
  readonly #conflicts: Binding[] = [];

  constructor({ customers, bindings, erased }: KnownCustomers, evidence: Evidence, newId: () => string) {
    this.#graph = new IdentityGraph(customers, bindings);
    this.#graves = { erased, holderOf: (identifier) => this.#graph.holderOf(identifier) };
    this.#customers = new Map(customers.map((customer) => [customer.id, customer]));
    this.#evidence = evidence;
    this.#newId = newId;
  }

  /** Undefined where it is about nobody, because whom it names was erased. */
  take({ identifiers: said, firstName, lastName, at }: Said): { customerId: string; isNew: boolean } | undefined {
    const { source, saidAt } = this.#evidence;
    const identifiers = withoutErased(said, at, this.#graves);
    if (identifiers.length === 0 && said.length > 0) return undefined;
    const { customerId, isNew, merged, linked, conflicts } = this.#graph.settle(identifiers, {
      id: this.#newId(),
      createdAt: saidAt,
    });
    const found = this.#customers.get(customerId) ?? newcomer(customerId, saidAt);
    const customer = merged.length === 0 || found.own ? found : { ...found, own: factsOf(found) };
    const mentioned = {
      firstName: firstName ?? null,
      lastName: lastName ?? null,
      primaryEmail: firstOf(linked, 'email') ?? null,
      primaryPhone: firstOf(linked, 'phone') ?? null,
      sources: [source],
      terms: [],
      firstSeenAt: saidAt,
      lastSeenAt: saidAt,
    };
    const whole = [...merged.map((loser) => this.#mergeAway(loser, customerId, identifiers)), mentioned].reduce(
      filled,
      customer,
    );
    this.#write({ ...whole, terms: termsOf(whole, linked) });
    this.#links.push(...linked.map((identifier) => ({ ...identifier, customerId })));
    this.#conflicts.push(...conflicts.map((identifier) => ({ ...identifier, customerId })));
    return { customerId, isNew };
  }

  /** Whether a message tells of the time before whom it names was erased. */
  isOfErased({ identifiers, at }: Said): boolean {
    return isOfErased(identifiers, at, this.#graves);
  }

  /** Whom a customer has become by now. */
  survivorOf(customerId: string): string {
    return this.#graph.survivorOf(customerId);
  }

  changes(): BookChanges {
    return {
      customers: [...this.#changed].map((id) => this.#customers.get(id) as CustomerRecord),
      links: this.#links,
      merges: this.#merges.map((merge) => ({ ...merge, finalId: this.survivorOf(merge.loserId) })),
      conflicts: this.#conflicts,
    };
  }

  /** The loser keeps its facts, for a merge may be undone, but is no longer found. */
  #mergeAway(loserId: string, survivorId: string, said: readonly Identifier[]): CustomerRecord {
    const loser = this.#customers.get(loserId) as CustomerRecord;
    this.#write({ ...loser, terms: [] });
    this.#merges.push({ loserId, survivorId, saidKinds: [...new Set(said.map(({ kind }) => kind))] });
    return loser;
  }

  #write(customer: CustomerRecord): void {
    this.#customers.set(customer.id, customer);
    this.#changed.add(customer.id);
  }
}

const factsOf = ({ id: _id, createdAt: _created, terms: _terms, own: _own, ...facts }: CustomerRecord): OwnFacts =>
  facts;

const newcomer = (id: string, at: Date): CustomerRecord => ({
  id,
  createdAt: at,
  firstName: null,
  lastName: null,
  primaryEmail: null,
  primaryPhone: null,
  sources: [],
  terms: [],
  firstSeenAt: at,
  lastSeenAt: at,
});

/** What a customer lacks is filled from another; what it has stays. */
function filled(customer: CustomerRecord, other: Omit<CustomerRecord, 'id' | 'createdAt' | 'own'>): CustomerRecord {
  return {
    ...customer,
    firstName: customer.firstName ?? other.firstName,
    lastName: customer.lastName ?? other.lastName,
    primaryEmail: customer.primaryEmail ?? other.primaryEmail,
    primaryPhone: customer.primaryPhone ?? other.primaryPhone,
    sources: [...new Set([...customer.sources, ...other.sources])],
    terms: [...new Set([...customer.terms, ...other.terms])],
    firstSeenAt: new Date(Math.min(customer.firstSeenAt.getTime(), other.firstSeenAt.getTime())),
    lastSeenAt: new Date(Math.max(customer.lastSeenAt.getTime(), other.lastSeenAt.getTime())),
  };
}

function termsOf(customer: CustomerRecord, linked: readonly Identifier[]): string[] {
  const fresh = searchTerms({
    firstName: customer.firstName ?? undefined,
    lastName: customer.lastName ?? undefined,
    emails: linked.filter(({ kind }) => kind === 'email').map(({ value }) => value),
    phones: linked.filter(({ kind }) => kind === 'phone').map(({ value }) => value),
  });
  return [...new Set([...customer.terms, ...fresh])].slice(0, maxTermsOfCustomer);
}

const firstOf = (identifiers: readonly Identifier[], wanted: IdentifierKind): string | undefined =>
  identifiers.find(({ kind }) => kind === wanted)?.value;
