import type { Company, House } from '../house.ts';
import { accountRoutes } from './accounts.ts';
import { oauthRoutes } from './oauth.ts';
import { createState, type MetaState } from './state.ts';

/** What is true at Meta: its accounts, their ads and what it was told. */
export interface MetaBook {
  readonly state: MetaState;
}

export function createMetaCompany(house: House): Company<MetaBook> {
  let made: MetaState | undefined;
  const state = (): MetaState => {
    made ??= createState(house.world);
    return made;
  };
  return {
    routes: [...oauthRoutes(house, state), ...accountRoutes(house, state)],
    book: {
      get state() {
        return state();
      },
    },
  };
}
