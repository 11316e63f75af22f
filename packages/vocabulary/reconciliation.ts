import { namesOf } from './names-of.ts';

/** How the columns may differ from the ledger. */
export const differenceKinds = {
  missing_in_columns: 'It was recorded and counts, and reports do not know it.',
  unknown_to_ledger: 'Reports count it, and it was never recorded or counts no longer.',
  amount_differs: 'Reports count another amount, or it is something else by now.',
  credits_off: 'What its touches earn does not add up to its value.',
} as const;
export type DifferenceKind = keyof typeof differenceKinds;
export const differenceKindNames = namesOf(differenceKinds);

export const reconciliationStates = ['queued', 'done', 'failed'] as const;
