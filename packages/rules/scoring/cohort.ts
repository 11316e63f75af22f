import { type CohortDimension, cohortDimensions } from '@tributary/vocabulary';
import { smallestCohort } from './weights.ts';

/** What ads are compared by, each with its likes. Null: nobody has said. */
export interface Traits {
  readonly channel: string;
  readonly format: string;
  readonly objective: string | null;
  readonly warmth: string | null;
  readonly geo: string | null;
  readonly placement: string | null;
}

/**
 * Where too few ads are alike, these are let go, from the last to the first, until there are enough. The channel stays: clicks of a
 * search page and of a feed say nothing about each other.
 */
export const dimensions = cohortDimensions;
export type Dimension = CohortDimension;

export interface Cohort<Ad> {
  /** `social_ads|video|sales|cold|CL|feed`; `*` where a dimension was let go, `-` where nobody has said. */
  readonly key: string;
  readonly kept: ReadonlySet<Dimension>;
  readonly ads: readonly Ad[];
  /** No: too few to tell anything. */
  readonly isEnough: boolean;
}

/** The cohort of each ad: all that are alike in as many dimensions as leave it large enough, whatever cohort those have themselves. */
export function cohortsOf<Ad extends { readonly traits: Traits }>(ads: readonly Ad[]): Map<Ad, Cohort<Ad>> {
  const cohorts = new Map<Ad, Cohort<Ad>>();
  let open = ads;
  for (let count: number = dimensions.length; count >= 1 && open.length > 0; count -= 1) {
    const kept = new Set<Dimension>(dimensions.slice(0, count));
    // All of them are compared with; only those that have no cohort yet need one.
    const groups = Map.groupBy(ads, ({ traits }) => keyOf(traits, kept));
    const found = new Map(
      [...groups].map(([key, members]) => [
        key,
        { key, kept, ads: members, isEnough: members.length >= smallestCohort },
      ]),
    );
    const isLast = count === 1;
    for (const ad of open) {
      const cohort = found.get(keyOf(ad.traits, kept)) as Cohort<Ad>;
      if (cohort.isEnough || isLast) cohorts.set(ad, cohort);
    }
    open = open.filter((ad) => !cohorts.has(ad));
  }
  return cohorts;
}

/** As keys have them: the format before the objective. */
const [channel, objective, format, ...others] = dimensions;
const written: readonly Dimension[] = [channel, format, objective, ...others];

/** All that an ad is compared by, where nothing is let go. */
export const cohortKey = (traits: Traits): string => keyOf(traits, new Set(dimensions));

/** What was not let go, as a cohort's key says. */
export function keptDimensions(key: string): ReadonlySet<Dimension> {
  const words = key.split('|');
  return new Set(written.filter((_, place) => words[place] !== '*'));
}

const keyOf = (traits: Traits, kept: ReadonlySet<Dimension>): string =>
  written.map((name) => (kept.has(name) ? (traits[name]?.replaceAll('|', '/') ?? '-') : '*')).join('|');
