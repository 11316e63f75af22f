import { toMinorUnits } from '../money.ts';
import type { ReportedRefund } from '../refunds.ts';

/**
 * Merges the refunds that several records of a sale report, so that each counts once: refunds of the same amount are
 * matched in order. `records` has the refunds of each record, the counted record first.
 */
export function mergeRefunds<T extends ReportedRefund>(records: readonly (readonly T[])[]): T[] {
  const merged: T[] = [];
  const counts = new Map<string, number>();
  const keyOf = ({ amount, currency }: T) => `${toMinorUnits(amount, currency ?? 'USD')}|${currency ?? ''}`;
  for (const refunds of records) {
    const effective = refunds.filter(({ status }) => status === 'completed');
    for (const [key, same] of Map.groupBy(effective, keyOf)) {
      const before = counts.get(key) ?? 0;
      merged.push(...same.slice(before));
      counts.set(key, Math.max(before, same.length));
    }
  }
  return merged;
}
