import { type CohortDimension, cohortDimensions } from '@tributary/vocabulary';
import { smallestCohort } from './weights.ts';

/** The traits by which ads are grouped. Null: unknown. */
export interface Traits {
  readonly channel: string;
  readonly format: string;
  readonly objective: string | null;
  readonly warmth: string | null;
  readonly geo: string | null;
  readonly placement: string | null;
}

/**
 * While a cohort is too small, these are dropped from the last to the first. The channel is never dropped: clicks on
 * search pages and in feeds are not comparable.
 */
export const dimensions = cohortDimensions;
export type Dimension = CohortDimension;

export interface Cohort<Ad> {
  /** `social_ads|video|sales|cold|CL|feed`; `*` for a dropped dimension, `-` for an unknown one. */
  readonly key: string;
  readonly kept: ReadonlySet<Dimension>;
  readonly ads: readonly Ad[];
  /** False: too few ads for a comparison. */
  readonly isEnough: boolean;
}

/**
 * The cohort of each ad: all ads with the same traits in as many dimensions as leave it large enough. An ad may be
 * compared with ads whose own cohort is narrower.
 */
export function cohortsOf<Ad extends { readonly traits: Traits }>(ads: readonly Ad[]): Map<Ad, Cohort<Ad>> {
  const cohorts = new Map<Ad, Cohort<Ad>>();
  let unassigned = ads;
  for (let count: number = dimensions.length; count >= 1 && unassigned.length > 0; count -= 1) {
    const kept = new Set<Dimension>(dimensions.slice(0, count));
    // All ads are grouped, but only those without a cohort yet need one.
    const groups = Map.groupBy(ads, ({ traits }) => keyOf(traits, kept));
    const found = new Map(
      [...groups].map(([key, members]) => [
        key,
        { key, kept, ads: members, isEnough: members.length >= smallestCohort },
      ]),
    );
    const isLast = count === 1;
    for (const ad of unassigned) {
      const cohort = found.get(keyOf(ad.traits, kept)) as Cohort<Ad>;
      if (cohort.isEnough || isLast) cohorts.set(ad, cohort);
    }
    unassigned = unassigned.filter((ad) => !cohorts.has(ad));
  }
  return cohorts;
}

/** The order of dimensions in keys: the format before the objective. */
const [channel, objective, format, ...others] = dimensions;
const keyOrder: readonly Dimension[] = [channel, format, objective, ...others];

/** The key with all dimensions. */
export const cohortKey = (traits: Traits): string => keyOf(traits, new Set(dimensions));

/** The dimensions that a cohort's key does not drop. */
export function cohortDimensionsOf(key: string): ReadonlySet<Dimension> {
  const words = key.split('|');
  return new Set(keyOrder.filter((_, index) => words[index] !== '*'));
}

const keyOf = (traits: Traits, kept: ReadonlySet<Dimension>): string =>
  keyOrder.map((name) => (kept.has(name) ? (traits[name]?.replaceAll('|', '/') ?? '-') : '*')).join('|');
