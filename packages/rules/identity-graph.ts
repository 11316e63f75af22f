import {
  decideIdentity,
  type Holder,
  type Identifier,
  type IdentityDecision,
  identifierKey,
  isKeyKind,
  isStrongKind,
} from './identity.ts';

export interface Binding extends Identifier {
  readonly customerId: string;
  /** The customer it was first bound to, if merges moved it since. */
  readonly movedFrom?: string | null | undefined;
}

export interface IdentitySettlement extends IdentityDecision {
  readonly customerId: string;
  readonly isNew: boolean;
}

/**
 * The part of a profile's identity graph that a batch of messages concerns, in memory. Each message is decided on the
 * state left by the previous ones. A thousand rows need one read and one write of the store, with the same result as
 * one by one.
 */
export class IdentityGraph {
  readonly #holders: Map<string, Holder>;
  readonly #bindings: Map<string, string>;
  readonly #mergedInto = new Map<string, string>();
  /** Pairs of customers that are different people. This includes their surviving customers after merges. */
  readonly #apart: readonly (readonly [string, string])[];

  constructor(
    holders: Iterable<Holder> = [],
    bindings: Iterable<Binding> = [],
    apart: readonly (readonly [string, string])[] = [],
  ) {
    this.#holders = new Map([...holders].map((holder) => [holder.id, holder]));
    this.#bindings = new Map([...bindings].map((binding) => [identifierKey(binding), binding.customerId]));
    this.#apart = apart;
  }

  /** Applies a message. `newcomer` is the customer to create if no identifier has a holder. */
  settle(identifiers: readonly Identifier[], newcomer: Pick<Holder, 'id' | 'createdAt'>): IdentitySettlement {
    const decision = decideIdentity(
      identifiers,
      (identifier) => this.holderOf(identifier),
      (one, other) => this.#areApart(one, other),
    );
    const isNew = decision.customerId === undefined;
    const customerId = decision.customerId ?? newcomer.id;
    if (isNew) this.#holders.set(customerId, { ...newcomer, nationalId: undefined, isStrong: false, isKeyed: false });
    for (const loser of decision.merged) this.merge(loser, customerId);
    for (const identifier of decision.linked) this.#link(identifier, customerId);
    return { ...decision, customerId, isNew };
  }

  holderOf(identifier: Identifier): Holder | undefined {
    const bound = this.#bindings.get(identifierKey(identifier));
    return bound === undefined ? undefined : this.#holders.get(this.survivorOf(bound));
  }

  /** The surviving customer after merges within this graph. */
  survivorOf(customerId: string): string {
    let current = customerId;
    for (let next = this.#mergedInto.get(current); next; next = this.#mergedInto.get(current)) current = next;
    return current;
  }

  #areApart(one: string, other: string): boolean {
    return this.#apart.some((pair) => {
      const [a, b] = pair.map((id) => this.survivorOf(id));
      return (a === one && b === other) || (a === other && b === one);
    });
  }

  /** Merges two customers, as decided by a message or a confirmation. */
  merge(loserId: string, survivorId: string): void {
    const loser = this.#holder(loserId);
    const survivor = this.#holder(survivorId);
    this.#mergedInto.set(loserId, survivorId);
    this.#holders.delete(loserId);
    this.#holders.set(survivorId, {
      ...survivor,
      nationalId: survivor.nationalId ?? loser.nationalId,
      isStrong: survivor.isStrong || loser.isStrong,
      isKeyed: survivor.isKeyed || loser.isKeyed,
    });
  }

  #link(identifier: Identifier, customerId: string): void {
    const holder = this.#holder(customerId);
    const { kind, value } = identifier;
    this.#bindings.set(identifierKey(identifier), customerId);
    this.#holders.set(customerId, {
      ...holder,
      nationalId: kind === 'national_id' ? value : holder.nationalId,
      isStrong: holder.isStrong || isStrongKind(kind),
      isKeyed: holder.isKeyed || isKeyKind(kind),
    });
  }

  #holder(id: string): Holder {
    const holder = this.#holders.get(id);
    if (!holder) throw new Error('An identifier is bound to a customer that the graph was not given.');
    return holder;
  }
}
