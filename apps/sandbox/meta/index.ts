import type { Company, House } from '../house.ts';
import { accountRoutes } from './accounts.ts';
import { createEvents, type EventBook } from './events.ts';
import { createInsights, type MetaDay, metaDays } from './insights.ts';
import { nodeRoutes } from './nodes.ts';
import { oauthRoutes } from './oauth.ts';
import { createState, type MetaAccount, type MetaState } from './state.ts';
import { writeRoutes } from './writes.ts';

/** What is true at Meta: its accounts, their ads and what it was told. */
export interface MetaBook {
  readonly state: MetaState;
  /** What the Conversions API was told. */
  readonly events: EventBook;
  /** What it says of an account's ads by day, at this moment. */
  days(account: MetaAccount, since: string, until: string): MetaDay[];
}

export function createMetaCompany(house: House): Company<MetaBook> {
  let made: MetaState | undefined;
  const state = (): MetaState => {
    made ??= createState(house.world);
    return made;
  };
  const insights = createInsights(house, state);
  const events = createEvents(house, state);
  return {
    routes: [
      ...oauthRoutes(house, state),
      ...accountRoutes(house, state),
      ...insights.routes,
      ...events.routes,
      ...writeRoutes(house, state),
      ...nodeRoutes(house, state, insights.readRun),
    ],
    book: {
      events: events.book,
      get state() {
        return state();
      },
      days: (account, since, until) =>
        metaDays(house.world.adDays, state(), { account, since, until, now: house.now() }),
    },
  };
}
