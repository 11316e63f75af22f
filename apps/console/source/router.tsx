import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, createRouter, Outlet, redirect } from '@tanstack/react-router';
import { TributaryError } from '@tributary/sdk';
import { Missing, Problem } from './parts/states.tsx';
import { Payments } from './payments/payments.tsx';
import { Conversion } from './people/conversion.tsx';
import { Customers } from './people/customers.tsx';
import { Erasures } from './people/erasures.tsx';
import { Person } from './people/person.tsx';
import { type Account, accountQuery } from './queries.ts';
import { Campaigns } from './screens/campaigns.tsx';
import { Comparison } from './screens/comparison.tsx';
import { Frame } from './screens/frame.tsx';
import { NoProfile } from './screens/no-profile.tsx';
import { Overview } from './screens/overview.tsx';
import { SignIn } from './screens/sign-in.tsx';
import { SignInSettings } from './screens/sign-in-settings.tsx';
import { TopPerformers } from './screens/top-performers.tsx';
import { Webhooks } from './screens/webhooks.tsx';
import {
  readCampaignSearch,
  readConversion,
  readCustomersSearch,
  readNext,
  readReceipt,
  readReportSearch,
  readWindow,
} from './search.ts';

/** Every address of the console. The API serves this page at each of them: apps/api/console.ts. */

interface Context {
  readonly queryClient: QueryClient;
}

const root = createRootRouteWithContext<Context>()({
  component: Outlet,
  notFoundComponent: Missing,
  errorComponent: ({ error, reset }) => (
    <Problem error={error instanceof Error ? error : new Error(String(error))} again={reset} />
  ),
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: readNext,
  component: SignIn,
});

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: async ({ context }) => {
    const { memberships } = await signedIn(context.queryClient);
    const first = memberships.flatMap(({ profiles }) => profiles).at(0);
    if (first) throw redirect({ to: '/p/$profileId/overview', params: { profileId: first.id }, search: usual() });
  },
  component: NoProfile,
});

const account = createRoute({
  getParentRoute: () => root,
  path: '/account',
  beforeLoad: async ({ context, location }) => {
    await signedIn(context.queryClient, location.href);
  },
  component: SignInSettings,
});

const profile = createRoute({
  getParentRoute: () => root,
  path: '/p/$profileId',
  validateSearch: readReportSearch,
  beforeLoad: async ({ context, location }) => {
    await signedIn(context.queryClient, location.href);
  },
  component: Frame,
});

const profileHome = createRoute({
  getParentRoute: () => profile,
  path: '/',
  beforeLoad: ({ params, search }) => {
    throw redirect({ to: '/p/$profileId/overview', params, search });
  },
});

const overview = createRoute({ getParentRoute: () => profile, path: '/overview', component: Overview });
const campaigns = createRoute({
  getParentRoute: () => profile,
  path: '/campaigns',
  validateSearch: readCampaignSearch,
  component: Campaigns,
});
const comparison = createRoute({
  getParentRoute: () => profile,
  path: '/platforms',
  validateSearch: readCampaignSearch,
  component: Comparison,
});
const topPerformers = createRoute({
  getParentRoute: () => profile,
  path: '/top-ads',
  validateSearch: readWindow,
  component: TopPerformers,
});
const payments = createRoute({ getParentRoute: () => profile, path: '/payments', component: Payments });
const customers = createRoute({
  getParentRoute: () => profile,
  path: '/customers',
  validateSearch: readCustomersSearch,
  component: Customers,
});
const person = createRoute({
  getParentRoute: () => profile,
  path: '/customers/$customerId',
  validateSearch: readConversion,
  component: Person,
});
const conversion = createRoute({
  getParentRoute: () => profile,
  path: '/conversions/$conversionId',
  component: Conversion,
});
const erasures = createRoute({
  getParentRoute: () => profile,
  path: '/erasures',
  validateSearch: readReceipt,
  component: Erasures,
});

const webhooks = createRoute({ getParentRoute: () => profile, path: '/webhooks', component: Webhooks });

const routeTree = root.addChildren([
  signIn,
  home,
  account,
  profile.addChildren([
    profileHome,
    overview,
    campaigns,
    comparison,
    topPerformers,
    payments,
    webhooks,
    customers,
    person,
    conversion,
    erasures,
  ]),
]);

const createConsoleRouter = (queryClient: QueryClient) =>
  createRouter({ routeTree, context: { queryClient }, scrollRestoration: true, defaultNotFoundComponent: Missing });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}

export function openRouter(queryClient: QueryClient) {
  const router = createConsoleRouter(queryClient);
  return {
    router,
    /** A session may end while its page is open. */
    askToSignIn: () => {
      if (router.state.location.pathname === '/sign-in') return;
      void router.navigate({ to: '/sign-in', search: readNext({ next: router.state.location.href }) });
    },
  };
}

const usual = () => readReportSearch({});

/** Who is signed in; else off to the sign-in page, and back here afterwards. */
async function signedIn(queryClient: QueryClient, next?: string): Promise<Account> {
  try {
    return await queryClient.ensureQueryData(accountQuery);
  } catch (error) {
    if (!(error instanceof TributaryError && error.is('unauthorized'))) throw error;
    throw redirect({ to: '/sign-in', search: readNext({ next }) });
  }
}
