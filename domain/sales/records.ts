import type { LedgerRecord } from '@tributary/domain/outcomes';
import { type Json, referencesOf, type SaleRecord, type SaleReference } from '@tributary/rules';
import { type Channel, channels, type SaleSourceKind } from '@tributary/vocabulary';

/** `payments_a` of `payments_a:<connection>`. */
const providerOf = (source: string): string => source.split(':', 1)[0] ?? source;

/** Which kind of source it is, by which a profile prefers one record of a sale over another. */
export function kindOf(source: string): SaleSourceKind {
  const provider = providerOf(source);
  if (provider === 'bank_link') return 'bank';
  if (provider === 'cardpay') return 'payments';
  if (provider === 'import') return 'file';
  const kind = channels[provider as Channel]?.kind;
  return kind === 'payments' || kind === 'store' || kind === 'crm' ? kind : 'server';
}

/**
 * A payment with what it can be matched by. An erasure clears the properties of a payment; its references, as they were stored, still match,
 * or the sale would count twice.
 */
export function toSaleRecord(record: LedgerRecord, stored: readonly SaleReference[] = []): SaleRecord {
  const { id, key, source, customerId, amount, currency, at, externalId, properties } = record;
  const kind = kindOf(source);
  const level = kind === 'store' || kind === 'crm' ? 'order' : 'payment';
  return {
    id,
    key,
    source,
    customerId,
    amount,
    currency,
    at: at.getTime(),
    installment: textOf(properties, 'installment') ?? textOf(properties, 'installment_number') ?? null,
    references: referencesOf({ keys: [{ value: externalId ?? key, level }, ...stored], properties }),
  };
}

function textOf(properties: Json, name: string): string | undefined {
  if (properties === null || typeof properties !== 'object' || Array.isArray(properties)) return undefined;
  const value = (properties as Record<string, Json>)[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
