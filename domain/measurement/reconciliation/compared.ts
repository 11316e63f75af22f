import type { DifferenceKind, EntityLevel, ReconciledBook } from '@tributary/vocabulary';

/** The totals of one side; the count is null where rows are not counted. */
export interface Side {
  readonly count: number | null;
  readonly value: string;
}

/** A book for one day, provider and currency. A side that the book does not compare is missing. */
export interface BookOfDay {
  readonly book: ReconciledBook;
  readonly day: string;
  readonly channel: string | null;
  readonly currency: string;
  readonly atProvider?: Side;
  readonly inLedger?: Side;
  readonly inColumns?: Side;
  readonly inReports?: Side;
  readonly differences: number;
  readonly pending: number;
}

/** A single difference. Amounts exist for the sides that the book compares; null if that side has no such row. */
export interface Finding {
  readonly book: ReconciledBook;
  readonly kind: DifferenceKind;
  readonly day: string;
  readonly currency: string;
  readonly conversionId?: string;
  readonly channel?: string;
  readonly connectionId?: string;
  readonly externalId?: string;
  readonly level?: EntityLevel;
  readonly model?: string;
  readonly atProvider?: string | null;
  readonly inLedger?: string | null;
  readonly inColumns?: string | null;
  readonly inReports?: string | null;
  /** In progress, or too recent to be a fault. */
  readonly isPending: boolean;
}

/** A connection whose provider could not be read: its days were not compared. */
export interface Unread {
  readonly connectionId: string;
  readonly channel: string;
  readonly reason: string;
}

export interface Compared {
  readonly days: readonly BookOfDay[];
  readonly findings: readonly Finding[];
  readonly unread: readonly Unread[];
}

export interface Span {
  readonly profileId: string;
  readonly dateFrom: string;
  readonly dateTo: string;
  readonly now: Date;
}

export const tally = (findings: readonly Finding[]) => ({
  differences: findings.filter(({ isPending }) => !isPending).length,
  pending: findings.filter(({ isPending }) => isPending).length,
});
