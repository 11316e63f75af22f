import type { CauseKind } from '@tributary/vocabulary';
import type { Money, OutcomeContent } from './event-input.ts';
import { compareAmounts } from './money.ts';

/** A new outcome is worked out because it was recorded. */
export const recordedCauses: readonly CauseKind[] = ['outcome_recorded'];

/**
 * What a message did to an outcome, in the words in which a changed figure is explained. Another amount is a correction: what went back of a
 * payment is told as a refund.
 */
export function causesOf(before: OutcomeContent | undefined, after: OutcomeContent): CauseKind[] {
  if (!before) return [...recordedCauses];
  const causes: CauseKind[] = [
    ...(isSameMoney(before.money, after.money) ? [] : (['amount_changed'] as const)),
    ...(before.occurredAt.getTime() === after.occurredAt.getTime() ? [] : (['moved_in_time'] as const)),
  ];
  const isNamedAlike = before.eventName === after.eventName && before.eventType === after.eventType;
  const isOfTheSame = before.customerId === after.customerId && before.subjectRef === after.subjectRef;
  return isNamedAlike && isOfTheSame && causes.length > 0 ? causes : [...causes, 'details_changed'];
}

function isSameMoney(before: Money | null, after: Money | null): boolean {
  if (!before || !after) return before === after;
  return before.currency === after.currency && compareAmounts(before.amount, after.amount) === 0;
}
