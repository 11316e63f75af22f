import type { Tx } from '@tributary/postgres';
import type { RevenueType } from '@tributary/vocabulary';
import type { CustomerTotals, FindCustomerTotals, WithoutRate } from './totals.ts';

/** A position in the order of conversions: newest first, and the higher id first at equal times. */
export interface Position {
  readonly at: Date;
  /** The outcome id. */
  readonly id: string;
}

/** An outcome read while scanning for a goal. */
export interface ScannedOutcome extends Position {
  /** False for an outcome of another goal, which only marks how far the scan has come. */
  readonly isGoal: boolean;
  readonly customerId: string | null;
  readonly visitorId: string | null;
  /** In the reporting currency; null when it has no money or no exchange rate. */
  readonly amount: string | null;
  /** Whether it has money without an exchange rate. */
  readonly isUnconverted: boolean;
  readonly revenueType: RevenueType;
}

/** A range of scanned outcomes, in order. Unless `isEnd`, there may be more after the last one. */
export interface ScannedRange {
  readonly outcomes: readonly ScannedOutcome[];
  /** The number of rows read for it. */
  readonly scannedCount: number;
  readonly isEnd: boolean;
}

export const emptyRange: ScannedRange = { outcomes: [], scannedCount: 0, isEnd: true };

export interface Goal {
  readonly profileId: string;
  readonly conversionType: string;
  readonly currency: string;
  readonly from: Date;
}

export interface OpenGoal {
  /** The newest conversions of the goal after a position in the order. */
  read(before: Position, most: number): Promise<ScannedRange>;
  /** Like `read`, limited to certain customers. */
  readOf(customerIds: readonly string[], before: Position, most: number): Promise<ScannedRange>;
}

/** Reads who reached a goal. Outcomes belong to a module that depends on this one, so the app injects the implementation. */
export interface GoalReader {
  open(tx: Tx, goal: Goal): Promise<OpenGoal>;
  /** Payments of a period without a value in the reporting currency. */
  sumWithoutRate(tx: Tx, profileId: string, from: Date, until: Date): Promise<readonly WithoutRate[]>;
  /** Lifetime totals of anonymous visitors. */
  findVisitorTotals(
    tx: Tx,
    profileId: string,
    visitorIds: readonly string[],
    currency: string,
  ): Promise<ReadonlyMap<string, CustomerTotals>>;
}

export interface CustomerListServices {
  readonly goals: GoalReader;
  readonly findCustomerTotals: FindCustomerTotals;
}
