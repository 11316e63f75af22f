import type { Company, CompanyDeps } from '../company.ts';
import { adsRoutes } from './ads.ts';
import { createDataManager, type GoogleEventBook } from './data-manager.ts';
import type { Row } from './gaql.ts';
import { oauthRoutes, scopeOf } from './oauth.ts';
import { lastFinalDay, type SearchRow, searchConsoleRoutes, searchDay, sites } from './search-console.ts';
import { createState, type GoogleCustomer, type GoogleState, rowsOf } from './state.ts';

/** The state of Google: customers, their ads, and the events that the Data Manager received. */
export interface GoogleBook {
  readonly state: GoogleState;
  readonly events: GoogleEventBook;
  /** The daily figures of a customer's ads or campaigns as currently reported. */
  days(customer: GoogleCustomer, of: 'ad_group_ad' | 'campaign'): Row[];
  /** The search queries of a day; by default the last day that Search Console reports. */
  searches(day?: string): SearchRow[];
  /** Restates a day in Search Console: other queries, other counts. */
  restateSearches(day: string): void;
}

export function createGoogleCompany(deps: CompanyDeps): Company<GoogleBook> {
  let made: GoogleState | undefined;
  const state = (): GoogleState => {
    made ??= createState(deps.world);
    return made;
  };
  const restated = new Map<string, number>();
  const dataManager = createDataManager(deps, state);
  const accounts = (scopes: string) => [
    ...(scopes.includes(scopeOf.ads) ? state().customers.map(({ id, name }) => ({ id, name })) : []),
    ...(scopes.includes(scopeOf.searchConsole) ? sites.map(({ siteUrl }) => ({ id: siteUrl, name: siteUrl })) : []),
  ];
  return {
    routes: [
      ...oauthRoutes(deps, accounts),
      ...adsRoutes(deps, state),
      ...dataManager.routes,
      ...searchConsoleRoutes(deps, restated),
    ],
    book: {
      get state() {
        return state();
      },
      events: dataManager.book,
      searches: (day = lastFinalDay(deps.now())) => searchDay(day, restated.get(day)),
      restateSearches: (day) => void restated.set(day, (restated.get(day) ?? 0) + 1),
      days: (customer, of) => rowsOf(state(), customer, `${of} by day`, () => deps.world.adDays, deps.now()) ?? [],
    },
  };
}
