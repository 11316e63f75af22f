import type { MaturityStage, OutcomeKind, TruthGrade } from '@tributary/vocabulary';
import { matureFrom } from './weights.ts';

/** What an ad earned, as we credited it, and what its platform says of itself. */
export interface EarnedOutcomes {
  /** Conversions of every kind. */
  readonly total: number;
  readonly cash: number;
  /** Leads, appointments, deals: neither cash nor conversations nor orders. */
  readonly pipeline: number;
  /** Conversations that were credited. */
  readonly messaging: number;
  /** What the platform counts for itself; null: it said nothing. */
  readonly platformConversions: number | null;
  readonly platformConversations: number | null;
  /** An experiment has measured it. */
  readonly isLiftTested: boolean;
}

/** Which outcome to show first. `meta`: there is nothing but the platform's own count. */
export function primaryOutcomeKind(earned: EarnedOutcomes): OutcomeKind {
  if (earned.cash > 0) return 'cash';
  // Orders are no cash yet.
  if (earned.total > earned.messaging) return 'pipeline';
  if (earned.messaging > 0 || (earned.platformConversations ?? 0) > 0) return 'messaging';
  return (earned.platformConversions ?? 0) > 0 ? 'meta' : 'none';
}

/** How well founded it is. What a platform says of itself never counts. */
export function truthGrade({ total, isLiftTested }: EarnedOutcomes): TruthGrade {
  if (isLiftTested) return 'lift';
  return total > 0 ? 'attributed' : 'predicted';
}

export function maturityStage({ total, isLiftTested }: EarnedOutcomes): MaturityStage {
  if (isLiftTested) return 'calibrated';
  if (total === 0) return 'cold';
  return total < matureFrom ? 'early' : 'mature';
}
