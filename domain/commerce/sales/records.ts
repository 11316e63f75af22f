import type { LedgerRecord } from '@tributary/domain/commerce/outcomes';
import { type Json, referencesOf, type SaleRecord } from '@tributary/rules';
import { type Channel, channels, type SaleSourceKind } from '@tributary/vocabulary';

/** The provider part of a source: `payments_a` of `payments_a:<connection>`. */
const getProvider = (source: string): string => source.split(':', 1)[0] ?? source;

/** The kind of a source. A profile's settings order these kinds to choose the record that counts. */
export function getSourceKind(source: string): SaleSourceKind {
  const provider = getProvider(source);
  if (provider === 'bank_link') return 'bank';
  if (provider === 'cardpay') return 'payments';
  if (provider === 'import') return 'file';
  const kind = channels[provider as Channel]?.kind;
  return kind === 'payments' || kind === 'store' || kind === 'crm' ? kind : 'server';
}

/** Converts a payment to the form that the matching rules need, with its references. */
export function toSaleRecord(record: LedgerRecord): SaleRecord {
  const { id, key, source, customerId, amount, currency, at, externalId, properties } = record;
  const kind = getSourceKind(source);
  const level = kind === 'store' || kind === 'crm' ? 'order' : 'payment';
  return {
    id,
    key,
    source,
    customerId,
    amount,
    currency,
    at: at.getTime(),
    installment: textProperty(properties, 'installment') ?? textProperty(properties, 'installment_number') ?? null,
    references: referencesOf({ keys: [{ value: externalId ?? key, level }], properties }),
  };
}

function textProperty(properties: Json, name: string): string | undefined {
  if (properties === null || typeof properties !== 'object' || Array.isArray(properties)) return undefined;
  const value = (properties as Record<string, Json>)[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
