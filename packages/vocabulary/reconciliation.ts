import { namesOf } from './names-of.ts';

/** What a reconciliation compares. */
export const reconciledBooks = {
  providers: 'What payment providers and stores say they took, and the ledger.',
  columns: 'The ledger and what reports add up; the credit of each conversion and its value.',
  reports:
    'The rows of a report with what is attributed to nobody, and what there was to give, at each level under each model.',
  ad_accounts: 'What ad accounts say they cost as a whole, and the sum of what their ads cost.',
} as const;
export type ReconciledBook = keyof typeof reconciledBooks;
export const reconciledBookNames = namesOf(reconciledBooks);

/**
 * How two compared records may differ, and the repair: attribute conversions again, sync an account again, or
 * nothing.
 */
export const differenceKinds = {
  missing_in_ledger: { repair: 'read', words: 'The provider was paid it, and it was never recorded.' },
  missing_at_provider: { repair: 'none', words: 'It was recorded as paid, and the provider knows of no such payment.' },
  missing_in_columns: { repair: 'work_out', words: 'It was recorded and counts, and reports do not know it.' },
  unknown_to_ledger: { repair: 'work_out', words: 'Reports count it, and it was never recorded or counts no longer.' },
  amount_differs: { repair: 'work_out', words: 'Reports count another amount, or it is something else by now.' },
  paid_differs: { repair: 'read', words: 'The provider was paid another amount than was recorded.' },
  credits_off: { repair: 'work_out', words: 'What its touches earn does not add up to its value.' },
  report_off: {
    repair: 'work_out_day',
    words: 'A report’s rows and what is attributed to nobody do not add up to what there was to give.',
  },
  spend_differs: { repair: 'read', words: 'The ad account as a whole cost another amount than its ads together.' },
} as const satisfies Record<string, { repair: 'work_out' | 'work_out_day' | 'read' | 'none'; words: string }>;
export type DifferenceKind = keyof typeof differenceKinds;
export const differenceKindNames = namesOf(differenceKinds);

/** The state of a difference. A pending one is stored and counted but not shown. */
export const differenceStates = ['open', 'pending', 'explained'] as const;
export type DifferenceState = (typeof differenceStates)[number];

export const reconciliationStates = ['queued', 'done', 'failed'] as const;
export type ReconciliationState = (typeof reconciliationStates)[number];
