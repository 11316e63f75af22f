import type { Scope } from '@tributary/contract';
import { isOpaqueKey } from '@tributary/rules';

interface Caller {
  readonly scopes: ReadonlySet<Scope>;
  readonly isHealthcare: boolean;
}

/** A caller's own key of a customer, on its way into an answer. */
export interface KeyToShow {
  /** Whose it is: the customer, or where that is gone the receipt of the erasure. */
  readonly of: string;
  readonly profileId: string;
  readonly key: string | null | undefined;
  /** The key that this very request named them by, if it did. */
  readonly said: string | null | undefined;
}

/** Customers whose keys an answer tells to somebody who did not say them. */
export interface ToldKeys {
  readonly profileId: string;
  readonly people: Set<string>;
}

/**
 * What the caller gets of a key. Whoever may see people sees it as it is. For everybody else one with the shape of an e-mail address,
 * a phone or a national id is a person's own data, and on a healthcare-family profile any key is that was not said by this request:
 * a national id must not be turned into the key of a patient.
 */
export function keyFor(caller: Caller, { key, said }: Pick<KeyToShow, 'key' | 'said'>): string | null {
  if (!key) return null;
  if (seesPeople(caller)) return key;
  if (!isOpaqueKey(key) || (caller.isHealthcare && key !== said)) return null;
  return key;
}

/** Whether keys that were told to the caller could be told to it as it stands now. */
export const isToldAsBefore = (before: Caller, now: Caller): boolean =>
  seesPeople(now) || (!seesPeople(before) && (before.isHealthcare || !now.isHealthcare));

const seesPeople = ({ scopes }: Caller): boolean => scopes.has('customers:read');
