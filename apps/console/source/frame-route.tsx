import { type QueryClient, useQuery } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, Outlet, redirect } from '@tanstack/react-router';
import { TributaryError } from '@tributary/sdk';
import { Missing, Problem } from './parts/states.tsx';
import { type Account, accountQuery } from './queries.ts';
import { Frame } from './screens/frame.tsx';
import { NoAccess } from './screens/no-access.tsx';
import { SharedFrame } from './screens/shared-frame.tsx';
import { readNext, readReportSearch } from './search.ts';
import { openSharedView } from './shared.ts';
import { sharedLink } from './shared-link.ts';

/** The frame around every page of a profile. */

interface Context {
  readonly queryClient: QueryClient;
}

export const rootRoute = createRootRouteWithContext<Context>()({
  component: Outlet,
  notFoundComponent: Missing,
  errorComponent: ({ error, reset }) => (
    <Problem error={error instanceof Error ? error : new Error(String(error))} again={reset} />
  ),
});

export const profileRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/p/$profileId',
  validateSearch: readReportSearch,
  beforeLoad: async ({ context, location }) => {
    const link = sharedLink();
    if (!link) await signedIn(context.queryClient, location.href);
    else if (!(await openSharedView(context.queryClient, link.secret))) throw redirect({ to: '/shared' });
  },
  component: () => (sharedLink() ? <SharedFrame /> : <MemberFrame />),
});

function MemberFrame() {
  const { profileId } = profileRoute.useParams();
  const { data: account } = useQuery(accountQuery);
  const isMember = account?.memberships.some(({ profiles }) => profiles.some(({ id }) => id === profileId));
  return account && !isMember ? <NoAccess /> : <Frame />;
}

/** Returns the signed-in account, or redirects to the sign-in page, which returns here afterwards. */
export async function signedIn(queryClient: QueryClient, next?: string): Promise<Account> {
  try {
    return await queryClient.ensureQueryData(accountQuery);
  } catch (error) {
    if (!(error instanceof TributaryError && error.is('unauthorized'))) throw error;
    throw redirect({ to: '/sign-in', search: readNext({ next }) });
  }
}
