import { words } from '../format.ts';
import { t } from '../messages/index.ts';
import type { ErasureRequest } from '../queries.ts';
import { erasureReasons, identifierTypes } from '../vocabulary.ts';

/** The ways to identify exactly one customer. The customer key and `external_customer_id` are the same, so the latter is left out. */
type IdentifierType = (typeof identifierTypes)[number];
export type Selector = 'email' | 'phone' | 'customer_key' | Exclude<IdentifierType, 'external_customer_id'>;

const otherTypes = identifierTypes.filter((type) => type !== 'external_customer_id');
export const selectors: readonly Selector[] = ['email', 'phone', 'customer_key', ...otherTypes];

export const selectorTitles: Readonly<Record<Selector, string>> = {
  email: t.erasures.email,
  phone: t.erasures.phone,
  customer_key: t.erasures.ownKey,
  crm_contact_id: words('crm_contact_id'),
  store_customer_id: words('store_customer_id'),
  payments_customer_id: words('payments_customer_id'),
  national_id: words('national_id'),
};

interface Filled {
  readonly profileId: string;
  readonly selector: Selector;
  readonly value: string;
  readonly reference: string;
  readonly reason: string;
}

export function requestOf({ profileId, selector, value, reference, reason }: Filled): ErasureRequest {
  const named =
    selector === 'email' || selector === 'phone' || selector === 'customer_key'
      ? { [selector]: value }
      : { identifier_type: selector, identifier_value: value };
  return {
    profile_id: profileId,
    request_ref: reference,
    reason: erasureReasons.find((option) => option === reason) ?? 'data_subject_request',
    ...named,
  };
}

export const namedIn = ({ email, phone, customer_key: key, identifier_value: value }: ErasureRequest): string =>
  email ?? phone ?? key ?? value ?? '';

/** The most exact identifier of a customer: the caller's key, else another id, else email or phone. */
export function selectorOf(
  identifiers: readonly { readonly kind: string; readonly value: string }[],
): { readonly selector: Selector; readonly value: string } | undefined {
  const order: readonly Selector[] = ['customer_key', ...otherTypes, 'email', 'phone'];
  const kindOf = (selector: Selector) => (selector === 'customer_key' ? 'external_customer_id' : selector);
  for (const selector of order) {
    const found = identifiers.find(({ kind }) => kind === kindOf(selector));
    if (found) return { selector, value: found.value };
  }
  return undefined;
}

/** Contains the date and nothing about the customer. */
export const newReference = (now: Date, random: string): string =>
  `console-${now.toISOString().slice(0, 10)}-${random.slice(0, 8)}`;
