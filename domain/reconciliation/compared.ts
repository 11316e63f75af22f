import type { DifferenceKind, EntityLevel, ReconciledBook } from '@tributary/vocabulary';

/** The figures of one side; a null count where rows are not counted. */
export interface Side {
  readonly count: number | null;
  readonly value: string;
}

/** A book of a day, of one provider and currency where it has several. A side that is not compared in it is left out. */
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

/** A difference by name. Amounts are of the sides that the book compares; null where that side has nothing of the kind. */
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
  /** On its way, or too young to be a fault. */
  readonly isPending: boolean;
}

/** A connection whose provider could not be asked: its days were not compared. */
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
