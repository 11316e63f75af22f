interface Money {
  readonly outcome_value: number | null;
}

interface Earned {
  readonly value: number | null;
  readonly roas: number | null;
}

/** The attributed revenue of all campaigns: the total minus the unattributed part. */
export function earnedByAds(all: Money & { readonly spend: number | null }, rest: Money | undefined): Earned {
  if (!rest || all.outcome_value === null || rest.outcome_value === null) return { value: null, roas: null };
  const value = all.outcome_value - rest.outcome_value;
  return { value, roas: all.spend ? value / all.spend : null };
}
