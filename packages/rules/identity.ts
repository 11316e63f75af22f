import { type IdentifierKind, identifierKinds } from '@tributary/vocabulary';

/**
 * Decides which customer a message is about. A message names identifiers, and each is bound to at most one customer.
 * All sources (imports, events, syncs, browsers) use these two functions. Strong identifiers belong to one person.
 * Weak ones are shared in families and offices: alone they find their holder, but beside a strong one they find only
 * a customer without strong identifiers. So identity follows from the strong identifiers alone, in any order of
 * messages. There are two exceptions. A second national id is recorded as a conflict. And customers with different
 * keys of the caller (`external_customer_id`) are never merged: a shared identifier stays with its first holder and
 * becomes a claim of the other, from which a merge is proposed (docs/decisions/0037).
 */

export interface Identifier {
  readonly kind: IdentifierKind;
  /** Normalised: identifiers are equal when kind and value are. */
  readonly value: string;
}

/** The properties of a customer that these rules need. */
export interface Holder {
  readonly id: string;
  readonly createdAt: Date;
  readonly nationalId: string | undefined;
  /** Has at least one strong identifier. */
  readonly isStrong: boolean;
  /** Has at least one key of the caller. */
  readonly isKeyed: boolean;
}

export interface IdentityDecision {
  /** The customer that the message is about: the oldest of those to be merged. Undefined: a new customer. */
  readonly customerId: string | undefined;
  /** Customers that are the same person and are merged into that one. */
  readonly merged: readonly string[];
  /** Identifiers of the message without a holder; they are bound to the customer. */
  readonly linked: readonly Identifier[];
  /**
   * Strong identifiers of the message that stay with a holder who has another national id, or is known to be a
   * different person.
   */
  readonly conflicts: readonly Identifier[];
  /**
   * Identifiers of the message held by another keyed customer: recorded as claims of this customer, without changing
   * the holder.
   */
  readonly claimed: readonly Identifier[];
}

export type HolderOf = (identifier: Identifier) => Holder | undefined;

/** Whether two customers are known to be different people: a merge of them was undone. */
export type AreApart = (one: string, other: string) => boolean;

export const isStrongKind = (kind: IdentifierKind): boolean => identifierKinds[kind].strength === 'strong';

export const isKeyKind = (kind: IdentifierKind): boolean => kind === 'external_customer_id';

/** Decides a message of a trusted source. It has at most one key and one national id. */
export function decideIdentity(
  identifiers: readonly Identifier[],
  holderOf: HolderOf,
  areApart: AreApart = () => false,
): IdentityDecision {
  const message = byStrength(identifiers);
  const nationalIds = message.filter(({ kind }) => kind === 'national_id');
  const keys = message.filter(({ kind }) => isKeyKind(kind));
  if (nationalIds.length > 1 || keys.length > 1)
    throw new RangeError('A message is about one customer, who has one key and one national id.');

  const person = new Person(nationalIds[0]?.value, keys.length > 0, areApart);
  const linked: Identifier[] = [];
  const conflicts: Identifier[] = [];
  const claimed: Identifier[] = [];
  // New strong identifiers count, too: with them, a shared phone does not identify a son with his mother.
  const hasStrong = message.some(({ kind }) => isStrongKind(kind));
  // The key comes first: its holder gets the record, regardless of other identifiers.
  for (const identifier of message) {
    const holder = holderOf(identifier);
    if (holder && person.canBe(holder, identifier.kind, hasStrong)) person.isAlso(holder);
    else if (holder && person.hasOtherKeyThan(holder)) claimed.push(identifier);
    else if (holder ? isStrongKind(identifier.kind) : !person.canHold(identifier)) conflicts.push(identifier);
    else if (!holder) linked.push(identifier);
  }
  const [survivor, ...merged] = person.fromOldest();
  return { customerId: survivor, merged, linked, conflicts, claimed };
}

/** The customer a message is about, while its identifiers are processed. */
class Person {
  readonly #holders = new Map<string, Holder>();
  readonly #areApart: AreApart;
  #nationalId: string | undefined;
  #isKeyed: boolean;

  constructor(nationalId: string | undefined, isKeyed: boolean, areApart: AreApart) {
    this.#nationalId = nationalId;
    this.#isKeyed = isKeyed;
    this.#areApart = areApart;
  }

  canBe(holder: Holder, kind: IdentifierKind, hasStrong: boolean): boolean {
    if (this.#holders.has(holder.id) || isKeyKind(kind)) return true;
    const hasOtherNationalId =
      this.#nationalId !== undefined && holder.nationalId !== undefined && this.#nationalId !== holder.nationalId;
    if (hasOtherNationalId || this.#isApart(holder) || this.hasOtherKeyThan(holder)) return false;
    if (isStrongKind(kind) || !holder.isStrong) return true;
    // The first customer found by a message of weak identifiers is a match, not a merge.
    return !hasStrong && [...this.#holders.values()].every((found) => !found.isStrong);
  }

  hasOtherKeyThan(holder: Holder): boolean {
    return this.#isKeyed && holder.isKeyed && !this.#holders.has(holder.id);
  }

  /** A customer has at most one national id: the holder of the message's key keeps the first one. */
  canHold({ kind, value }: Identifier): boolean {
    return kind !== 'national_id' || this.#nationalId === value;
  }

  isAlso(holder: Holder): void {
    this.#holders.set(holder.id, holder);
    this.#nationalId = holder.nationalId ?? this.#nationalId;
    this.#isKeyed ||= holder.isKeyed;
  }

  fromOldest(): string[] {
    return [...this.#holders.values()].sort(byAge).map(({ id }) => id);
  }

  #isApart(holder: Holder): boolean {
    return [...this.#holders.keys()].some((id) => this.#areApart(id, holder.id));
  }
}

export interface BrowserDecision {
  /** The customer to link the browser's visitor to. Undefined: a new customer. */
  readonly customerId: string | undefined;
  /** Only for a new customer. */
  readonly linked: readonly Identifier[];
}

/**
 * Decides a message of a browser. Its key is public, so anyone can send anything: it may only state which existing
 * customer its own visitor is, never that two identifiers belong together. So a new customer gets only the strongest
 * identifier. Otherwise, a browser that sends a stranger's address with its own number would later be merged with
 * that stranger. A shared phone matches under the same rules as in a message of a trusted source.
 */
export function decideBrowserIdentity(identifiers: readonly Identifier[], holderOf: HolderOf): BrowserDecision {
  const message = byStrength(identifiers);
  const hasStrong = message.some(({ kind }) => isStrongKind(kind));
  const hasKey = message.some(({ kind }) => isKeyKind(kind));
  for (const identifier of message) {
    const holder = holderOf(identifier);
    const hasOtherKey = hasKey && !isKeyKind(identifier.kind) && holder?.isKeyed === true;
    if (holder && !hasOtherKey && (isStrongKind(identifier.kind) || !hasStrong || !holder.isStrong))
      return { customerId: holder.id, linked: [] };
  }
  return { customerId: undefined, linked: message.slice(0, 1) };
}

/** The identifier with the highest rank. */
export const strongestOf = (identifiers: readonly Identifier[]): Identifier | undefined => byStrength(identifiers)[0];

/** Distinct identifiers, strongest first. */
export function byStrength(identifiers: readonly Identifier[]): Identifier[] {
  const distinct = new Map(identifiers.map((identifier) => [identifierKey(identifier), identifier]));
  return [...distinct.values()].sort((a, b) => identifierKinds[a.kind].rank - identifierKinds[b.kind].rank);
}

/** The id breaks ties of simultaneous creation, so that every decision orders them the same way. */
export const byAge = (a: Pick<Holder, 'id' | 'createdAt'>, b: Pick<Holder, 'id' | 'createdAt'>): number =>
  a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1);

/** An identifier as the key of a map or a lock. */
export const identifierKey = ({ kind, value }: Identifier): string => `${kind}:${value}`;
