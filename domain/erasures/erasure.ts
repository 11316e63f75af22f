/** What is known when an erasure is asked for. Nothing is looked up or written here. */
export interface Known<Receipt extends { readonly id: string }> {
  /** The receipt that already has this request_ref. */
  readonly byRef: Receipt | undefined;
  /** Receipts of whoever was erased under the name that is asked for, the oldest first. */
  readonly byName: readonly Receipt[];
  /** Whether that name is a key of the caller's own; what else somebody was called by no longer leads to them. */
  readonly isKey: boolean;
  /** Who answers to the name now. */
  readonly customerId: string | undefined;
}

export type Decision<Receipt> =
  | { readonly kind: 'repeat'; readonly receipt: Receipt }
  | { readonly kind: 'erase'; readonly customerId: string }
  | { readonly kind: 'used_for_another' }
  | { readonly kind: 'nobody' };

/** What a request means. */
export function decideErasure<Receipt extends { readonly id: string }>({
  byRef,
  byName,
  isKey,
  customerId,
}: Known<Receipt>): Decision<Receipt> {
  if (byRef) {
    const isSame = byName.some(({ id }) => id === byRef.id);
    return isSame ? { kind: 'repeat', receipt: byRef } : { kind: 'used_for_another' };
  }
  if (customerId) return { kind: 'erase', customerId };
  const [first] = byName;
  return first && isKey ? { kind: 'repeat', receipt: first } : { kind: 'nobody' };
}
