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
  /** Whom it was said of, where merges have moved it since. */
  readonly movedFrom?: string | null | undefined;
}

export interface Settlement extends IdentityDecision {
  readonly customerId: string;
  readonly isNew: boolean;
}

/**
 * The part of a profile's identity graph that some messages concern, in memory: each message is decided on what the ones before
 * it left, so that a thousand rows need one read and one write of the store and still end as if they had come one by one.
 */
export class IdentityGraph {
  readonly #holders: Map<string, Holder>;
  readonly #bindings: Map<string, string>;
  readonly #mergedInto = new Map<string, string>();
  /** Pairs who are two people. Whoever one of them becomes is not the other either. */
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

  /** Takes a message in. `newcomer` is who it is about, should nobody be known. */
  settle(said: readonly Identifier[], newcomer: Pick<Holder, 'id' | 'createdAt'>): Settlement {
    const decision = decideIdentity(
      said,
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

  /** Whom a customer has become by the merges since the start. */
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

  /** Makes two customers one, as a message or a confirmation says. */
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
