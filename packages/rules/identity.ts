import { type IdentifierKind, identifierKinds } from '@tributary/vocabulary';

/**
 * Who a message is about. A message names identifiers; each is bound to at most one customer. What follows from that is decided
 * here and nowhere else: imports, events, syncs and the browser all ask the same two functions.
 *
 * Strong identifiers belong to one person. Weak ones are shared in families and offices: alone they find their holder, but beside a
 * strong one they find only somebody who holds nothing strong yet. So who is one person follows from the strong identifiers alone,
 * in whatever order messages come. There are two exceptions. A second national id is recorded as a conflict. And customers with different
 * keys of the caller (`external_customer_id`) are never merged: what both carry stays with the first holder and is a claim of the other,
 * from which a merge is proposed (docs/decisions/0093).
 */

export interface Identifier {
  readonly kind: IdentifierKind;
  /** In its normal form: identifiers are the same when kind and value are. */
  readonly value: string;
}

/** A customer, as far as these rules must know one. */
export interface Holder {
  readonly id: string;
  readonly createdAt: Date;
  readonly nationalId: string | undefined;
  /** Holds at least one strong identifier. */
  readonly isStrong: boolean;
  /** Holds at least one key of the caller. */
  readonly isKeyed: boolean;
}

export interface IdentityDecision {
  /** The customer that the message is about: the oldest of those that turned out to be one. Undefined: somebody new. */
  readonly customerId: string | undefined;
  /** Customers that are the same person and go into that one. */
  readonly merged: readonly string[];
  /** Identifiers of the message that nobody held, and that the customer holds from now on. */
  readonly linked: readonly Identifier[];
  /** Strong identifiers of the message that stay with somebody who holds another national id, or is known to be another. */
  readonly conflicts: readonly Identifier[];
  /** Identifiers of the message that another keyed customer holds: the customer carries them, too, without holding them. */
  readonly claimed: readonly Identifier[];
}

export type HolderOf = (identifier: Identifier) => Holder | undefined;

/** Whether somebody said that two customers are two people: a merge of them was undone. */
export type AreApart = (one: string, other: string) => boolean;

export const isStrongKind = (kind: IdentifierKind): boolean => identifierKinds[kind].strength === 'strong';

export const isKeyKind = (kind: IdentifierKind): boolean => kind === 'external_customer_id';

/** What a message of a trusted source means for the graph. It names at most one key and one national id. */
export function decideIdentity(
  said: readonly Identifier[],
  holderOf: HolderOf,
  areApart: AreApart = () => false,
): IdentityDecision {
  const message = byStrength(said);
  const nationalIds = message.filter(({ kind }) => kind === 'national_id');
  const keys = message.filter(({ kind }) => isKeyKind(kind));
  if (nationalIds.length > 1 || keys.length > 1)
    throw new RangeError('A message is about one customer, who has one key and one national id.');

  const person = new Person(nationalIds[0]?.value, keys.length > 0, areApart);
  const linked: Identifier[] = [];
  const conflicts: Identifier[] = [];
  const claimed: Identifier[] = [];
  // The message's own new strong identifiers are the person's too: a phone does not make a son's key his mother's.
  const saysStrong = message.some(({ kind }) => isStrongKind(kind));
  // The key comes first: the customer who holds it gets the record, whatever else the message names.
  for (const identifier of message) {
    const holder = holderOf(identifier);
    if (holder && person.canBe(holder, identifier.kind, saysStrong)) person.isAlso(holder);
    else if (holder && person.hasOtherKeyThan(holder)) claimed.push(identifier);
    else if (holder ? isStrongKind(identifier.kind) : !person.canHold(identifier)) conflicts.push(identifier);
    else if (!holder) linked.push(identifier);
  }
  const [survivor, ...merged] = person.fromOldest();
  return { customerId: survivor, merged, linked, conflicts, claimed };
}

/** The person a message is about, as far as its identifiers were looked at. */
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

  canBe(holder: Holder, kind: IdentifierKind, saysStrong: boolean): boolean {
    if (this.#holders.has(holder.id) || isKeyKind(kind)) return true;
    const isSomebodyElse =
      this.#nationalId !== undefined && holder.nationalId !== undefined && this.#nationalId !== holder.nationalId;
    if (isSomebodyElse || this.#isApart(holder) || this.hasOtherKeyThan(holder)) return false;
    if (isStrongKind(kind) || !holder.isStrong) return true;
    // The first one whom a message of weak identifiers finds is a find, not a merge.
    return !saysStrong && [...this.#holders.values()].every((known) => !known.isStrong);
  }

  hasOtherKeyThan(holder: Holder): boolean {
    return this.#isKeyed && holder.isKeyed && !this.#holders.has(holder.id);
  }

  /** Nobody holds two national ids: the holder of the message's key keeps the first one. */
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
  /** The customer whom the browser's visitor is linked to. Undefined: somebody new. */
  readonly customerId: string | undefined;
  /** For somebody new only. */
  readonly linked: readonly Identifier[];
}

/**
 * What a browser's word is worth. Its key is public, so anybody can send anything: it may say which one customer its own visitor
 * is, and never that two identifiers belong together. So even somebody new gets only the strongest one of them; else whoever
 * typed a stranger's address beside a number of their own would wait in that stranger's place. A shared phone tells no more here than
 * in a message of a trusted source.
 */
export function decideBrowserIdentity(said: readonly Identifier[], holderOf: HolderOf): BrowserDecision {
  const message = byStrength(said);
  const saysStrong = message.some(({ kind }) => isStrongKind(kind));
  const saysKey = message.some(({ kind }) => isKeyKind(kind));
  for (const identifier of message) {
    const holder = holderOf(identifier);
    const hasOtherKey = saysKey && !isKeyKind(identifier.kind) && holder?.isKeyed === true;
    if (holder && !hasOtherKey && (isStrongKind(identifier.kind) || !saysStrong || !holder.isStrong))
      return { customerId: holder.id, linked: [] };
  }
  return { customerId: undefined, linked: message.slice(0, 1) };
}

/** The one that a message is believed by most. */
export const strongestOf = (said: readonly Identifier[]): Identifier | undefined => byStrength(said)[0];

/** The strongest first, and each once. */
export function byStrength(said: readonly Identifier[]): Identifier[] {
  const distinct = new Map(said.map((identifier) => [identifierKey(identifier), identifier]));
  return [...distinct.values()].sort((a, b) => identifierKinds[a.kind].rank - identifierKinds[b.kind].rank);
}

/** The id settles it where two were created in one moment: everybody must call the same one older. */
export const byAge = (a: Pick<Holder, 'id' | 'createdAt'>, b: Pick<Holder, 'id' | 'createdAt'>): number =>
  a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1);

/** An identifier as the key of a map or a lock. */
export const identifierKey = ({ kind, value }: Identifier): string => `${kind}:${value}`;
