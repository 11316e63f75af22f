import { type Holder, type Identifier, identifierKey, isKeyKind, isStrongKind } from './identity.ts';

/** What is known of whoever held an identifier and was erased. */
export interface Grave {
  readonly erasedAt: Date;
  /** Held a strong identifier, too. */
  readonly wasStrong: boolean;
  /** Held a key of the caller. */
  readonly wasKeyed: boolean;
}

/** By `identifierKey`; missing where nobody was erased. */
export type ErasedIdentifiers = ReadonlyMap<string, Grave>;

/** What must be known of a message's identifiers. */
export interface Graves {
  readonly erased: ErasedIdentifiers;
  /** Who holds it now. */
  holderOf(identifier: Identifier): Pick<Holder, 'isStrong' | 'isKeyed'> | undefined;
}

/**
 * Whether a message tells of the time before somebody it names was erased. Undated, it is said now, and so after. A weak identifier
 * is shared in families: beside a strong one the message is about whoever holds that, and where nobody does, about the erased only
 * if they held nothing strong, for only then would it have been theirs. In the same way a message with a key of its own is about the holder
 * of that key, and where the key is new, about the erased only if they had no key.
 */
export function isOfErased(said: readonly Identifier[], at: Date | undefined, { erased, holderOf }: Graves): boolean {
  const gone = said.filter((identifier) => isBefore(identifier, at, erased));
  if (gone.length === 0) return false;
  const key = said.find(({ kind }) => isKeyKind(kind));
  if (key && !gone.includes(key)) return !holderOf(key) && gone.some((identifier) => wasWithoutKey(identifier, erased));
  if (gone.some(({ kind }) => isStrongKind(kind))) return true;
  const strong = said.filter(({ kind }) => isStrongKind(kind));
  if (strong.length === 0) return true;
  return !strong.some(holderOf) && gone.some((identifier) => !erased.get(identifierKey(identifier))?.wasStrong);
}

/**
 * Who a message may still be about, where it names somebody who was erased. What is dated before the erasure is about nobody. What
 * came after may make the same address known anew, as a stranger's; but a caller's own key that was erased never binds again,
 * or the caller's next message would put together what it asked us to take apart. Nor does what is left of such a message find
 * somebody else who shares the phone, or another keyed customer who shares the email.
 */
export function withoutErased(
  said: readonly Identifier[],
  at: Date | undefined,
  graves: Graves,
): readonly Identifier[] {
  const { erased } = graves;
  if (erased.size === 0) return said;
  if (isOfErased(said, at, graves)) return [];
  const left = said.filter(
    (one) => !isBefore(one, at, erased) && (one.kind !== 'external_customer_id' || !erased.has(identifierKey(one))),
  );
  const lostStrong = saysStrong(said) && !saysStrong(left);
  const lostKey = saysKey(said) && !saysKey(left);
  return left.filter((one) => {
    const holder = graves.holderOf(one);
    return !((lostStrong && holder?.isStrong) || (lostKey && holder?.isKeyed));
  });
}

const saysKey = (said: readonly Identifier[]): boolean => said.some(({ kind }) => isKeyKind(kind));
const saysStrong = (said: readonly Identifier[]): boolean => said.some(({ kind }) => isStrongKind(kind));

function isBefore(identifier: Identifier, at: Date | undefined, erased: ErasedIdentifiers): boolean {
  const grave = erased.get(identifierKey(identifier));
  return grave !== undefined && at !== undefined && at <= grave.erasedAt;
}

/** Whether a new key beside the identifier would have been the erased customer's. */
function wasWithoutKey(identifier: Identifier, erased: ErasedIdentifiers): boolean {
  const grave = erased.get(identifierKey(identifier));
  return isStrongKind(identifier.kind) ? !grave?.wasKeyed : !grave?.wasStrong;
}
