import { type Identifier, identifierKey, isStrongKind } from './identity.ts';

/** When whoever held an identifier was erased, by `identifierKey`; missing where nobody was. */
export type ErasedIdentifiers = ReadonlyMap<string, Date>;

/** What must be known of a message's identifiers. */
export interface Graves {
  readonly erased: ErasedIdentifiers;
  /** Whether somebody holds it now. */
  isHeld(identifier: Identifier): boolean;
}

/**
 * Whether a message tells of the time before somebody it names was erased. Undated, it is said now, and so after. A weak identifier
 * is shared in families: beside a strong one that somebody else holds, the message is about that one.
 */
export function isOfErased(said: readonly Identifier[], at: Date | undefined, { erased, isHeld }: Graves): boolean {
  const gone = said.filter((identifier) => isBefore(identifier, at, erased));
  if (gone.length === 0) return false;
  return gone.some(({ kind }) => isStrongKind(kind)) || !said.some((one) => isStrongKind(one.kind) && isHeld(one));
}

/**
 * Who a message may still be about, where it names somebody who was erased. What is dated before the erasure is about nobody. What
 * came after may make the same address known anew, as a stranger's; but a caller's own key that was erased never binds again,
 * or the caller's next message would put together what it asked us to take apart.
 */
export function withoutErased(
  said: readonly Identifier[],
  at: Date | undefined,
  graves: Graves,
): readonly Identifier[] {
  const { erased } = graves;
  if (erased.size === 0) return said;
  if (isOfErased(said, at, graves)) return [];
  return said.filter(
    (one) => !isBefore(one, at, erased) && (one.kind !== 'external_customer_id' || !erased.has(identifierKey(one))),
  );
}

function isBefore(identifier: Identifier, at: Date | undefined, erased: ErasedIdentifiers): boolean {
  const erasedAt = erased.get(identifierKey(identifier));
  return erasedAt !== undefined && at !== undefined && at <= erasedAt;
}
