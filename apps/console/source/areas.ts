import type { Membership } from './membership.ts';

/** The sections of the navigation, in order. */
export const areas = ['reports', 'people', 'ads', 'data', 'workspace'] as const;

export interface PageEntry {
  readonly area: (typeof areas)[number];
  readonly title: string;
  /** Whether the member has access to the page; absent: every member has. */
  readonly isFor?: (membership: Membership) => boolean;
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** Absent when the page is only linked from other pages. */
    readonly entry?: PageEntry;
    /** Whether the page shows the date picker. */
    readonly hasDays?: boolean;
    /** Whether the page compares its figures with an earlier period. */
    readonly hasComparison?: boolean;
  }
}
