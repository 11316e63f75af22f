import type { QueryClient } from '@tanstack/react-query';
import { createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { profileRoute, rootRoute, signedIn } from './frame-route.tsx';
import { pages } from './pages.tsx';
import { Missing } from './parts/states.tsx';
import { NoProfile } from './screens/no-profile.tsx';
import { SharedOver } from './screens/shared-frame.tsx';
import { SignIn } from './screens/sign-in.tsx';
import { readNext, readReportSearch } from './search.ts';
import { openSharedView } from './shared.ts';

/** The routes outside a profile. The API serves the console's page at each of them: apps/api/console.ts. */

const signIn = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: readNext,
  component: SignIn,
});

const home = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: async ({ context }) => {
    const { memberships } = await signedIn(context.queryClient);
    const first = memberships.flatMap(({ profiles }) => profiles).at(0);
    if (first)
      throw redirect({
        to: '/p/$profileId/overview',
        params: { profileId: first.id },
        search: readReportSearch({}),
      });
  },
  component: NoProfile,
});

/** The target of a shared link: loads the console again with the link's credentials and opens the report. */
const shared = createRoute({
  getParentRoute: () => rootRoute,
  path: '/shared',
  beforeLoad: async ({ context, location }) => {
    const address = location.hash && (await openSharedView(context.queryClient, location.hash));
    if (!address) return;
    window.location.replace(address);
    await new Promise(() => {});
  },
  component: SharedOver,
});

const account = createRoute({
  getParentRoute: () => rootRoute,
  path: '/account',
  beforeLoad: async ({ context, location }) => {
    await signedIn(context.queryClient, location.href);
  },
  component: lazyRouteComponent(() => import('./screens/sign-in-settings.tsx'), 'SignInSettings'),
});

/** The token is in the URL fragment. */
const invitation = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invitation',
  component: lazyRouteComponent(() => import('./screens/invitation.tsx'), 'Invitation'),
});

const forgotPassword = createRoute({
  getParentRoute: () => rootRoute,
  path: '/forgot-password',
  component: lazyRouteComponent(() => import('./screens/password-reset.tsx'), 'ForgotPassword'),
});

const resetPassword = createRoute({
  getParentRoute: () => rootRoute,
  path: '/reset-password',
  component: lazyRouteComponent(() => import('./screens/password-reset.tsx'), 'ResetPassword'),
});

const routeTree = rootRoute.addChildren([
  signIn,
  home,
  shared,
  invitation,
  forgotPassword,
  resetPassword,
  account,
  profileRoute.addChildren(pages),
]);

const createConsoleRouter = (queryClient: QueryClient) =>
  createRouter({
    routeTree,
    context: { queryClient },
    scrollRestoration: true,
    defaultPreload: 'intent',
    defaultNotFoundComponent: Missing,
  });

/** Pages that work without a session. */
const isPublic = (path: string): boolean =>
  ['/sign-in', '/invitation', '/forgot-password', '/reset-password'].includes(path);

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}

export function openRouter(queryClient: QueryClient) {
  const router = createConsoleRouter(queryClient);
  return {
    router,
    /** A session may expire while a page is open. */
    askToSignIn: () => {
      if (isPublic(router.state.location.pathname)) return;
      void router.navigate({ to: '/sign-in', search: readNext({ next: router.state.location.href }) });
    },
  };
}
