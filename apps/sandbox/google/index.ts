import type { Company, House } from '../house.ts';
import { adsRoutes } from './ads.ts';
import { createDataManager, type GoogleEventBook } from './data-manager.ts';
import type { Row } from './gaql.ts';
import { oauthRoutes, scopeOf } from './oauth.ts';
import { lastFinalDay, type SearchRow, searchConsoleRoutes, searchDay, sites } from './search-console.ts';
import { createState, type GoogleCustomer, type GoogleState, rowsOf } from './state.ts';

/** What is true at Google: customers and their ads, what the Data Manager was told. */
export interface GoogleBook {
  readonly state: GoogleState;
  readonly events: GoogleEventBook;
  /** What it says by day of a customer's ads, or of its campaigns, at this moment. */
  days(customer: GoogleCustomer, of: 'ad_group_ad' | 'campaign'): Row[];
  /** What people searched for on a day; without one, on the last day that Search Console reports. */
  searches(day?: string): SearchRow[];
  /** Search Console corrects a day: other queries, other counts. */
  restateSearches(day: string): void;
}

export function createGoogleCompany(house: House): Company<GoogleBook> {
  let made: GoogleState | undefined;
  const state = (): GoogleState => {
    made ??= createState(house.world);
    return made;
  };
  const restated = new Map<string, number>();
  const dataManager = createDataManager(house, state);
  const accounts = (scopes: string) => [
    ...(scopes.includes(scopeOf.ads) ? state().customers.map(({ id, name }) => ({ id, name })) : []),
    ...(scopes.includes(scopeOf.searchConsole) ? sites.map(({ siteUrl }) => ({ id: siteUrl, name: siteUrl })) : []),
  ];
  return {
    routes: [
      ...oauthRoutes(house, accounts),
      ...adsRoutes(house, state),
      ...dataManager.routes,
      ...searchConsoleRoutes(house, restated),
    ],
    book: {
      get state() {
        return state();
      },
      events: dataManager.book,
      searches: (day = lastFinalDay(house.now())) => searchDay(day, restated.get(day)),
      restateSearches: (day) => void restated.set(day, (restated.get(day) ?? 0) + 1),
      days: (customer, of) => rowsOf(state(), customer, `${of} by day`, () => house.world.adDays, house.now()) ?? [],
    },
  };
}
