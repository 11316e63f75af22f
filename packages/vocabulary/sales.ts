/** Why two records are taken for the same sale, strongest first. */
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

/** Whether a match counts: by rule, by a member's decision, not yet, or not at all. */
export const matchStates = ['automatic', 'confirmed', 'suggested', 'rejected'] as const;
export type MatchState = (typeof matchStates)[number];

export const matchDecisions = ['confirmed', 'rejected'] as const;
export type MatchDecision = (typeof matchDecisions)[number];

/** How two sources are counted: matched records once, all records, or once only where a reference or a member matches them. */
export const overlapEffects = ['count_once', 'count_both', 'certain_only'] as const;
export type OverlapEffect = (typeof overlapEffects)[number];

/** How two sources that report the same sales are counted. */
export const overlapDecisions = ['count_once', 'count_both'] as const;
export type OverlapDecision = (typeof overlapDecisions)[number];

/** Kinds of source in the default order of preference: the first one that reported a sale is counted. */
export const saleSourceKinds = ['payments', 'store', 'bank', 'server', 'file', 'crm'] as const;
export type SaleSourceKind = (typeof saleSourceKinds)[number];

/** Why an outcome with money is in no report. `pending`: its sale is still being matched. */
export const uncountedReasons = ['pending', 'duplicate', 'excluded'] as const;
export type UncountedReason = (typeof uncountedReasons)[number];

/** How long what is stored of sales and their refunds is kept. */
export const saleLives = {
  dirty_sales: { ends: 'worked off', words: 'Payments whose sale is found again.' },
  payment_refunds: {
    ends: 'kept',
    words: 'What was given back of payments: part of the ledger. It goes with its profile.',
  },
  sale_batches: { ends: 'kept', words: 'Which pairs a member decided together, so that it can be undone together.' },
  sale_decisions: { ends: 'kept', words: 'What members decided of two records of a sale. It goes with its profile.' },
  sale_matches: {
    ends: 'kept',
    words: 'Which records are the same sale, and since when: `as_of` and audits read it. It goes with its profile.',
  },
  sale_overlaps: { ends: 'bounded', words: 'One for each two sources of payments.' },
  sale_records: { ends: 'bounded', words: 'One for each payment of a profile with several sources.' },
  sale_references: { ends: 'bounded', words: 'At most twelve for each payment of a profile with several sources.' },
  sale_rescans: { ends: 'worked off', words: 'Sources of which all payments are marked again, batch by batch.' },
  sale_settings: { ends: 'bounded', words: 'One for each profile.' },
  sale_sources: { ends: 'bounded', words: 'One for each source of payments.' },
} as const;
