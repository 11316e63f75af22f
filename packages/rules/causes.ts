import type { CauseKind } from '@tributary/vocabulary';
import type { Money, OutcomeContent } from './event-input.ts';
import { compareAmounts } from './money.ts';

/**
 * What a message did to an outcome, in the words in which a changed figure is explained. Less of the same currency is a refund: that is how
 * one is told of, by the payment once more with what is left of it.
 */
export function causesOf(before: OutcomeContent | undefined, after: OutcomeContent): CauseKind[] {
  if (!before) return ['outcome_recorded'];
  const money = moneyCause(before.money, after.money);
  const causes: CauseKind[] = [
    ...(money ? [money] : []),
    ...(before.occurredAt.getTime() === after.occurredAt.getTime() ? [] : (['moved_in_time'] as const)),
    ...(before.customerId === after.customerId && before.subjectRef === after.subjectRef ? [] : (['payer'] as const)),
  ];
  const isNamedAlike = before.eventName === after.eventName && before.eventType === after.eventType;
  return isNamedAlike && causes.length > 0 ? causes : [...causes, 'details_changed'];
}

function moneyCause(before: Money | null, after: Money | null): CauseKind | undefined {
  if (!before || !after) return before === after ? undefined : 'amount_changed';
  if (before.currency !== after.currency) return 'amount_changed';
  const difference = compareAmounts(after.amount, before.amount);
  return difference === 0 ? undefined : difference < 0 ? 'refund' : 'amount_changed';
}
