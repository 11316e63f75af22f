import type { Membership } from './membership.ts';

/** The parts of the navigation, in their order. */
export const areas = ['reports', 'people', 'ads', 'data', 'workspace'] as const;

/** How a page stands in the navigation. */
export interface PageEntry {
  readonly area: (typeof areas)[number];
  readonly title: string;
  /** Whether whoever is signed in has anything to see there; absent: everybody has. */
  readonly isFor?: (membership: Membership) => boolean;
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** Absent: the page is reached from another one. */
    readonly entry?: PageEntry;
    /** Whether the page is about the days in the address, so that they can be chosen there. */
    readonly hasDays?: boolean;
    /** Whether the page shows how its figures differ from those of the compared days. */
    readonly hasComparison?: boolean;
  }
}
