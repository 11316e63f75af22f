/** The facts on which the decision about an erasure request depends. Nothing is read or written here. */
export interface ErasureFacts<Receipt extends { readonly id: string }> {
  /** The receipt that already has this request_ref. */
  readonly byRef: Receipt | undefined;
  /** Receipts of customers who were erased under the requested identifier, oldest first. */
  readonly byName: readonly Receipt[];
  /** Whether the identifier is the caller's own key. Other identifiers of an erased customer no longer lead to them. */
  readonly isKey: boolean;
  /** The current customer with the identifier. */
  readonly customerId: string | undefined;
}

export type Decision<Receipt> =
  | { readonly kind: 'repeat'; readonly receipt: Receipt }
  | { readonly kind: 'erase'; readonly customerId: string }
  | { readonly kind: 'used_for_another' }
  | { readonly kind: 'nobody' };

/** Decides what to do with an erasure request. */
export function decideErasure<Receipt extends { readonly id: string }>({
  byRef,
  byName,
  isKey,
  customerId,
}: ErasureFacts<Receipt>): Decision<Receipt> {
  if (byRef) {
    const isSame = byName.some(({ id }) => id === byRef.id);
    return isSame ? { kind: 'repeat', receipt: byRef } : { kind: 'used_for_another' };
  }
  if (customerId) return { kind: 'erase', customerId };
  const [first] = byName;
  return first && isKey ? { kind: 'repeat', receipt: first } : { kind: 'nobody' };
}
