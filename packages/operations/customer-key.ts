import type { Scope } from '@tributary/contract';
import { isOpaqueKey } from '@tributary/rules';

interface Caller {
  readonly scopes: ReadonlySet<Scope>;
  readonly isHealthcare: boolean;
}

/** A caller's own customer key that a response may contain. */
export interface KeyToShow {
  /** The customer, or after an erasure its receipt. */
  readonly of: string;
  readonly profileId: string;
  readonly key: string | null | undefined;
  /** The key by which this request named the customer, if it did. */
  readonly said: string | null | undefined;
  /** The request names no customer: it reads conversions or payments by their own ids. */
  readonly isListed?: boolean;
}

/** Customers whose keys are in a response although the request did not contain them. */
export interface DisclosedKeys {
  readonly profileId: string;
  readonly people: Set<string>;
}

/**
 * The key that a response may contain. A caller with `customers:read` gets it unchanged. For other callers a key with the shape of an e-mail
 * address, a phone or a national id is personal data. On a healthcare-family profile a request that names a customer in another way
 * gets no key: a national id must not be turned into the key of a patient.
 */
export function keyFor(
  caller: Caller,
  { key, said, isListed }: Pick<KeyToShow, 'key' | 'said' | 'isListed'>,
): string | null {
  if (!key) return null;
  if (seesPeople(caller)) return key;
  if (!isOpaqueKey(key) || (caller.isHealthcare && key !== said && !isListed)) return null;
  return key;
}

/** Whether the keys in a response could still be disclosed under the caller's current permissions. */
export const mayStillDiscloseKeys = (before: Caller, now: Caller): boolean =>
  seesPeople(now) || (!seesPeople(before) && (before.isHealthcare || !now.isHealthcare));

const seesPeople = ({ scopes }: Caller): boolean => scopes.has('customers:read');
