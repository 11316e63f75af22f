import type { Company, CompanyDeps } from '../company.ts';
import { accountRoutes } from './accounts.ts';
import { createEvents, type EventBook } from './events.ts';
import { createInsights, type MetaDay, metaDays } from './insights.ts';
import { nodeRoutes } from './nodes.ts';
import { oauthRoutes } from './oauth.ts';
import { createState, type MetaAccount, type MetaState } from './state.ts';
import { writeRoutes } from './writes.ts';

/** The state of Meta: its accounts, their ads and the events it received. */
export interface MetaBook {
  readonly state: MetaState;
  /** The events that the Conversions API received. */
  readonly events: EventBook;
  /** The daily figures of an account's ads as currently reported. */
  days(account: MetaAccount, since: string, until: string): MetaDay[];
}

export function createMetaCompany(deps: CompanyDeps): Company<MetaBook> {
  let made: MetaState | undefined;
  const state = (): MetaState => {
    made ??= createState(deps.world);
    return made;
  };
  const insights = createInsights(deps, state);
  const events = createEvents(deps, state);
  return {
    routes: [
      ...oauthRoutes(deps, state),
      ...accountRoutes(deps, state),
      ...insights.routes,
      ...events.routes,
      ...writeRoutes(deps, state),
      ...nodeRoutes(deps, state, insights.readRun),
    ],
    book: {
      events: events.book,
      get state() {
        return state();
      },
      days: (account, since, until) => metaDays(deps.world.adDays, state(), { account, since, until, now: deps.now() }),
    },
  };
}
