import type { CauseKind } from '@tributary/vocabulary';
import type { Money, OutcomeContent } from './event-input.ts';
import { compareAmounts } from './money.ts';

/** The cause of a new outcome's first attribution. */
export const recordedCauses: readonly CauseKind[] = ['outcome_recorded'];

/**
 * The causes of a change of an outcome by a message. A changed amount is a correction; returned money has the cause
 * `refund`.
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
