import type { MaturityStage, OutcomeKind, TruthGrade } from '@tributary/vocabulary';
import { matureFrom } from './weights.ts';

/** An ad's credited outcomes, and the outcomes that its platform reports. */
export interface EarnedOutcomes {
  /** Conversions of every kind. */
  readonly total: number;
  readonly cash: number;
  /** Leads, appointments, deals: neither cash nor conversations nor orders. */
  readonly pipeline: number;
  /** Credited conversations. */
  readonly messaging: number;
  /** The platform's own count; null: not reported. */
  readonly platformConversions: number | null;
  readonly platformConversations: number | null;
  /** An experiment has measured it. */
  readonly isLiftTested: boolean;
}

/** The kind of outcome to show first. `meta`: only the platform's own count is available. */
export function primaryOutcomeKind(earned: EarnedOutcomes): OutcomeKind {
  if (earned.cash > 0) return 'cash';
  // Orders are not cash yet.
  if (earned.total > earned.messaging) return 'pipeline';
  if (earned.messaging > 0 || (earned.platformConversations ?? 0) > 0) return 'messaging';
  return (earned.platformConversions ?? 0) > 0 ? 'meta' : 'none';
}

/** How reliable the outcomes are. The platform's own count never counts. */
export function truthGrade({ total, isLiftTested }: EarnedOutcomes): TruthGrade {
  if (isLiftTested) return 'lift';
  return total > 0 ? 'attributed' : 'predicted';
}

export function maturityStage({ total, isLiftTested }: EarnedOutcomes): MaturityStage {
  if (isLiftTested) return 'calibrated';
  if (total === 0) return 'cold';
  return total < matureFrom ? 'early' : 'mature';
}
