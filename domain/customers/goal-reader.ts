import type { Tx } from '@tributary/postgres';
import type { RevenueType } from '@tributary/vocabulary';
import type { CustomerTotals, FindCustomerTotals, WithoutRate } from './totals.ts';

/** A place in the order of conversions: newest first, and of one moment the higher id first. */
export interface Position {
  readonly at: Date;
  /** Of the outcome. */
  readonly id: string;
}

/** An outcome that was looked at. */
export interface LookedAt extends Position {
  /** False: it is of another goal, and only says how far down was looked. */
  readonly isGoal: boolean;
  readonly customerId: string | null;
  readonly visitorId: string | null;
  /** In the reporting currency; null: no money, or no rate to convert it by. */
  readonly amount: string | null;
  /** It has money, and no rate to convert it by. */
  readonly isUnconverted: boolean;
  readonly revenueType: RevenueType;
}

/** What was looked at, in order. Unless it is the end, there may be more below the last of them. */
export interface Stretch {
  readonly looked: readonly LookedAt[];
  /** How many were read for it. */
  readonly seen: number;
  readonly isEnd: boolean;
}

/** What there is where there is nothing to look for. */
export const nothing: Stretch = { looked: [], seen: 0, isEnd: true };

export interface Goal {
  readonly profileId: string;
  readonly conversionType: string;
  readonly currency: string;
  readonly from: Date;
}

export interface OpenGoal {
  /** The newest conversions of the goal before a place. */
  read(before: Position, most: number): Promise<Stretch>;
  /** The same of certain customers. */
  readOf(customerIds: readonly string[], before: Position, most: number): Promise<Stretch>;
}

/** Who reached a goal. Outcomes are the business of a room above this one, which is why whoever puts the service together hands this in. */
export interface GoalReader {
  open(tx: Tx, goal: Goal): Promise<OpenGoal>;
  /** Payments of a period that have no value in the reporting currency. */
  sumWithoutRate(tx: Tx, profileId: string, from: Date, until: Date): Promise<readonly WithoutRate[]>;
  /** What browsers that nobody is known of did in all their time. */
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
