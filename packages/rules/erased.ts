import { type Holder, type Identifier, identifierKey, isKeyKind, isStrongKind } from './identity.ts';

/** What is kept about the erased holder of an identifier. */
export interface ErasedHolder {
  readonly erasedAt: Date;
  /** The erased customer had a strong identifier. */
  readonly wasStrong: boolean;
  /** The erased customer had a key of the caller. */
  readonly wasKeyed: boolean;
}

/** Keyed by `identifierKey`; identifiers never erased are missing. */
export type ErasedIdentifiers = ReadonlyMap<string, ErasedHolder>;

/** Lookups for the identifiers of a message. */
export interface Graves {
  readonly erased: ErasedIdentifiers;
  /** The current holder of an identifier. */
  holderOf(identifier: Identifier): Pick<Holder, 'isStrong' | 'isKeyed'> | undefined;
}

/**
 * Whether a message is from before the erasure of a customer that it names. A message without a date is from now, so
 * after. A weak identifier is shared in families. Beside a strong identifier, the message is about the holder of the
 * strong one. If the strong one has no holder, it is about the erased customer only if they had no strong identifier,
 * because only then could it have been theirs. Likewise a message with a caller's key is about the holder of that
 * key, and with a new key, about the erased customer only if they had no key.
 */
export function isOfErased(
  identifiers: readonly Identifier[],
  at: Date | undefined,
  { erased, holderOf }: Graves,
): boolean {
  const erasedBefore = identifiers.filter((identifier) => isBefore(identifier, at, erased));
  if (erasedBefore.length === 0) return false;
  const key = identifiers.find(({ kind }) => isKeyKind(kind));
  if (key && !erasedBefore.includes(key))
    return !holderOf(key) && erasedBefore.some((identifier) => wasWithoutKey(identifier, erased));
  if (erasedBefore.some(({ kind }) => isStrongKind(kind))) return true;
  const strong = identifiers.filter(({ kind }) => isStrongKind(kind));
  if (strong.length === 0) return true;
  return !strong.some(holderOf) && erasedBefore.some((identifier) => !erased.get(identifierKey(identifier))?.wasStrong);
}

/**
 * Returns the identifiers of a message that may still be used when it names an erased customer. A message dated
 * before the erasure has none. After it, the same address may be bound again, as of a new customer. But an erased key
 * of the caller is never bound again, or the caller's next message would restore what was erased. The remaining
 * identifiers must also not find a different customer who shares the phone, or another keyed customer who shares the
 * e-mail.
 */
export function withoutErased(
  identifiers: readonly Identifier[],
  at: Date | undefined,
  lookups: Graves,
): readonly Identifier[] {
  const { erased } = lookups;
  if (erased.size === 0) return identifiers;
  if (isOfErased(identifiers, at, lookups)) return [];
  const remaining = identifiers.filter(
    (one) => !isBefore(one, at, erased) && (one.kind !== 'external_customer_id' || !erased.has(identifierKey(one))),
  );
  const lostStrong = hasStrong(identifiers) && !hasStrong(remaining);
  const lostKey = hasKey(identifiers) && !hasKey(remaining);
  return remaining.filter((one) => {
    const holder = lookups.holderOf(one);
    return !((lostStrong && holder?.isStrong) || (lostKey && holder?.isKeyed));
  });
}

const hasKey = (identifiers: readonly Identifier[]): boolean => identifiers.some(({ kind }) => isKeyKind(kind));
const hasStrong = (identifiers: readonly Identifier[]): boolean => identifiers.some(({ kind }) => isStrongKind(kind));

function isBefore(identifier: Identifier, at: Date | undefined, erased: ErasedIdentifiers): boolean {
  const erasedHolder = erased.get(identifierKey(identifier));
  return erasedHolder !== undefined && at !== undefined && at <= erasedHolder.erasedAt;
}

/** Whether a new key beside the identifier would have belonged to the erased customer. */
function wasWithoutKey(identifier: Identifier, erased: ErasedIdentifiers): boolean {
  const erasedHolder = erased.get(identifierKey(identifier));
  return isStrongKind(identifier.kind) ? !erasedHolder?.wasKeyed : !erasedHolder?.wasStrong;
}
