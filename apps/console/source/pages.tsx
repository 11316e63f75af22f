import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import type { PageEntry } from './areas.ts';
import { profileRoute } from './frame-route.tsx';
import type { Membership } from './membership.ts';
import { readCampaignSearch, readConversion, readCustomersSearch, readReceipt, readWindow } from './search.ts';

/**
 * Every page of a profile, once: where it is, what it is called, in which part of the navigation and for whom it stands there, and what
 * loads it. Router, navigation and command palette are made of this list, in its order.
 */

const getParentRoute = () => profileRoute;
const inArea = (area: PageEntry['area'], title: string, isFor?: PageEntry['isFor']) => ({
  entry: { area, title, ...(isFor && { isFor }) },
});
const seesPeople = (membership: Membership) => membership.seesPeople;
/** Owners and admins. */
const mayErase = (membership: Membership) => membership.mayErase;

export const pages = {
  start: createRoute({
    getParentRoute,
    path: '/',
    beforeLoad: ({ params, search }) => {
      throw redirect({ to: '/p/$profileId/overview', params, search });
    },
  }),
  overview: createRoute({
    getParentRoute,
    path: '/overview',
    staticData: { ...inArea('Reports', 'Overview'), hasDays: true },
    component: lazyRouteComponent(() => import('./screens/overview.tsx'), 'Overview'),
  }),
  campaigns: createRoute({
    getParentRoute,
    path: '/campaigns',
    staticData: { ...inArea('Reports', 'Campaigns'), hasDays: true },
    validateSearch: readCampaignSearch,
    component: lazyRouteComponent(() => import('./screens/campaigns.tsx'), 'Campaigns'),
  }),
  platforms: createRoute({
    getParentRoute,
    path: '/platforms',
    staticData: { ...inArea('Reports', 'Platforms'), hasDays: true },
    validateSearch: readCampaignSearch,
    component: lazyRouteComponent(() => import('./screens/comparison.tsx'), 'Comparison'),
  }),
  topAds: createRoute({
    getParentRoute,
    path: '/top-ads',
    staticData: inArea('Reports', 'Top ads'),
    validateSearch: readWindow,
    component: lazyRouteComponent(() => import('./screens/top-performers.tsx'), 'TopPerformers'),
  }),
  cohorts: createRoute({
    getParentRoute,
    path: '/cohorts',
    staticData: { ...inArea('Reports', 'Cohorts'), hasDays: true },
    component: lazyRouteComponent(() => import('./screens/cohorts.tsx'), 'Cohorts'),
  }),
  reconciliation: createRoute({
    getParentRoute,
    path: '/reconciliation',
    staticData: { ...inArea('Reports', 'Reconciliation'), hasDays: true },
    component: lazyRouteComponent(() => import('./screens/reconciliation.tsx'), 'Reconciliation'),
  }),
  customers: createRoute({
    getParentRoute,
    path: '/customers',
    staticData: { ...inArea('People', 'Customers', seesPeople), hasDays: true },
    validateSearch: readCustomersSearch,
    component: lazyRouteComponent(() => import('./people/customers.tsx'), 'Customers'),
  }),
  person: createRoute({
    getParentRoute,
    path: '/customers/$customerId',
    validateSearch: readConversion,
    component: lazyRouteComponent(() => import('./people/person.tsx'), 'Person'),
  }),
  conversion: createRoute({
    getParentRoute,
    path: '/conversions/$conversionId',
    component: lazyRouteComponent(() => import('./people/conversion.tsx'), 'Conversion'),
  }),
  payments: createRoute({
    getParentRoute,
    path: '/payments',
    staticData: { ...inArea('People', 'Payments'), hasDays: true },
    component: lazyRouteComponent(() => import('./payments/payments.tsx'), 'Payments'),
  }),
  erasures: createRoute({
    getParentRoute,
    path: '/erasures',
    staticData: inArea('People', 'Erasures', mayErase),
    validateSearch: readReceipt,
    component: lazyRouteComponent(() => import('./people/erasures.tsx'), 'Erasures'),
  }),
  accessLog: createRoute({
    getParentRoute,
    path: '/access-log',
    staticData: inArea('People', 'Who read people', mayErase),
    component: lazyRouteComponent(() => import('./workspace/access-log.tsx'), 'AccessLog'),
  }),
  adActions: createRoute({
    getParentRoute,
    path: '/ad-actions',
    staticData: inArea('Ads', 'Ad actions'),
    component: lazyRouteComponent(() => import('./ads/ad-actions.tsx'), 'AdActions'),
  }),
  exports: createRoute({
    getParentRoute,
    path: '/exports',
    staticData: inArea('Ads', 'Exports', ({ may }) => may('exports:read')),
    component: lazyRouteComponent(() => import('./ads/exports.tsx'), 'Exports'),
  }),
  setUp: createRoute({
    getParentRoute,
    path: '/set-up',
    staticData: inArea('Data', 'Set-up'),
    component: lazyRouteComponent(() => import('./data/set-up.tsx'), 'SetUp'),
  }),
  connections: createRoute({
    getParentRoute,
    path: '/connections',
    staticData: inArea('Data', 'Connections'),
    component: lazyRouteComponent(() => import('./data/connections.tsx'), 'Connections'),
  }),
  tracking: createRoute({
    getParentRoute,
    path: '/tracking',
    staticData: { ...inArea('Data', 'Tracking'), hasDays: true },
    component: lazyRouteComponent(() => import('./data/tracking.tsx'), 'Tracking'),
  }),
  team: createRoute({
    getParentRoute,
    path: '/team',
    staticData: inArea('Workspace', 'Team'),
    component: lazyRouteComponent(() => import('./workspace/team.tsx'), 'Team'),
  }),
  audit: createRoute({
    getParentRoute,
    path: '/audit',
    staticData: inArea('Workspace', 'Audit', mayErase),
    component: lazyRouteComponent(() => import('./workspace/audit.tsx'), 'Audit'),
  }),
  webhooks: createRoute({
    getParentRoute,
    path: '/webhooks',
    staticData: inArea('Workspace', 'Webhooks'),
    component: lazyRouteComponent(() => import('./screens/webhooks.tsx'), 'Webhooks'),
  }),
};
