/** Why two records are treated as the same sale, strongest evidence first. */
export const matchEvidence = {
  reference: 'Both records carry the same order, payment or transaction reference.',
  customer: 'Same customer, amount and currency, a few minutes apart.',
  decision: 'A member confirmed it, and neither a reference nor the customer and amount match any more.',
} as const;
export type MatchEvidence = keyof typeof matchEvidence;
export const matchEvidenceNames = Object.keys(matchEvidence) as readonly MatchEvidence[] as readonly [
  MatchEvidence,
  ...MatchEvidence[],
];

/** Whether a match applies: by rule, by a member's decision, not yet, or not at all. */
export const matchStates = ['automatic', 'confirmed', 'suggested', 'rejected'] as const;
export type MatchState = (typeof matchStates)[number];

export const matchDecisions = ['confirmed', 'rejected'] as const;
export type MatchDecision = (typeof matchDecisions)[number];

/**
 * How two sources are counted: matched records once, all records, or once only where a reference or a member matches
 * them.
 */
export const overlapEffects = ['count_once', 'count_both', 'certain_only'] as const;
export type OverlapEffect = (typeof overlapEffects)[number];

/** How two sources that report the same sales are counted. */
export const overlapDecisions = ['count_once', 'count_both'] as const;
export type OverlapDecision = (typeof overlapDecisions)[number];

/** Kinds of source in the default order of preference: the first one that reported a sale is counted. */
export const saleSourceKinds = ['payments', 'store', 'bank', 'server', 'file', 'crm'] as const;
export type SaleSourceKind = (typeof saleSourceKinds)[number];

/** Why an outcome with money is not in reports. `pending`: its sale is still being matched. */
export const uncountedReasons = ['pending', 'duplicate', 'excluded'] as const;
export type UncountedReason = (typeof uncountedReasons)[number];

/** Retention of the tables for sales and their refunds. */
export const saleRetention = {
  dirty_sales: { ends: 'until processed', words: 'Payments waiting for sale matching.' },
  payment_refunds: {
    ends: 'kept',
    words: 'Refunds of payments: part of the ledger. Deleted with the profile.',
  },
  sale_batches: { ends: 'kept', words: 'Pairs decided together by a member, so that they can be undone together.' },
  sale_decisions: { ends: 'kept', words: 'Members’ decisions on pairs of records. Deleted with the profile.' },
  sale_matches: {
    ends: 'kept',
    words: 'Matched records, and since when: used by `as_of` and audits. Deleted with the profile.',
  },
  sale_overlaps: { ends: 'bounded', words: 'One per pair of payment sources.' },
  sale_records: { ends: 'bounded', words: 'One per payment of a profile with several sources.' },
  sale_references: { ends: 'bounded', words: 'At most twelve per payment of a profile with several sources.' },
  sale_rescans: { ends: 'until processed', words: 'Sources whose payments are all matched again, in batches.' },
  sale_settings: { ends: 'bounded', words: 'One per profile.' },
  sale_sources: { ends: 'bounded', words: 'One per payment source.' },
} as const;
