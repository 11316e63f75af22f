import { ratio, roundCount, subtractAmounts } from '@tributary/rules';
import { cashOf, costText, creditText, spendOf } from './figures.ts';

/** Both sides of a comparison, as ClickHouse returns them. */
export interface BothSides {
  readonly spend: string;
  readonly is_spend_unknown: number;
  readonly platform_conversions: string | null;
  readonly platform_value: string | null;
  readonly conversions: string;
  readonly payments: string;
  readonly value: string;
  readonly valued: string;
  /** Credited payments in millionths; absent for single-touch models, whose payments are whole. */
  readonly millionths?: string;
}

/** Platform-reported results next to credited results, with the difference. The two are never added. */
export function sidesOf(row: BothSides, currency: string) {
  const spend = spendOf(row, currency);
  const claimed = row.platform_conversions === null ? null : roundCount(row.platform_conversions);
  const claimedValue = row.platform_value === null ? null : costText(row.platform_value, currency);
  const ours = Number(row.conversions);
  const cash = cashOf(row);
  const revenue = cash === null ? null : creditText(cash, currency);
  const gap = claimed === null ? null : subtractAmounts(String(ours), claimed);
  return {
    spend,
    platform_conversions: claimed === null ? null : Number(claimed),
    platform_conversion_value: claimedValue,
    atribu_conversions: ours,
    atribu_cash_conversions: Number(row.payments),
    atribu_cash_credits: row.millionths === undefined ? Number(row.payments) : Number(ratio(row.millionths, 1_000_000)),
    atribu_cash_revenue: revenue,
    conversion_gap: gap === null ? null : Number(gap),
    conversion_gap_pct: ratio(gap, claimed, 100),
    value_gap:
      claimedValue === null || revenue === null ? null : costText(subtractAmounts(revenue, claimedValue), currency),
    platform_roas: ratio(claimedValue, spend),
    atribu_roas: ratio(revenue, spend),
  };
}
