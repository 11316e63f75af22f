import { subtractAmounts } from '@tributary/rules';
import { cashOf, costText, creditText, ratio, spendOf } from './figures.ts';

/** The two sides of a comparison, as the columns have them. */
export interface BothSides {
  readonly spend: string;
  readonly is_spend_unknown: number;
  readonly platform_conversions: string | null;
  readonly platform_value: string | null;
  readonly conversions: string;
  readonly payments: string;
  readonly value: string;
  readonly valued: string;
}

/** What the platform claims beside what we credit, and by how much they differ. Nothing adds the two. */
export function sidesOf(row: BothSides, currency: string) {
  const spend = spendOf(row, currency);
  const claimed = row.platform_conversions === null ? null : Number(row.platform_conversions);
  const claimedValue = row.platform_value === null ? null : costText(row.platform_value, currency);
  const ours = Number(row.conversions);
  const cash = cashOf(row);
  const revenue = cash === null ? null : creditText(cash, currency);
  const gap =
    row.platform_conversions === null ? null : Number(subtractAmounts(String(ours), row.platform_conversions));
  return {
    spend,
    platform_conversions: claimed,
    platform_conversion_value: claimedValue,
    atribu_conversions: ours,
    atribu_cash_conversions: Number(row.payments),
    atribu_cash_revenue: revenue,
    conversion_gap: gap,
    conversion_gap_pct: gap === null || claimed === null ? null : ratio(gap * 100, claimed),
    value_gap:
      claimedValue === null || revenue === null ? null : costText(subtractAmounts(revenue, claimedValue), currency),
    platform_roas: claimedValue === null ? null : ratio(Number(claimedValue), spend),
    atribu_roas: ratio(revenue === null ? null : Number(revenue), spend),
  };
}
