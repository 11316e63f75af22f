import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import type { PageEntry } from './areas.ts';
import { profileRoute } from './frame-route.tsx';
import type { Membership } from './membership.ts';
import { t } from './messages/index.ts';
import {
  readCampaignSearch,
  readConversion,
  readCustomersSearch,
  readMailed,
  readMatchSearch,
  readReceipt,
  readWindow,
} from './search.ts';

/**
 * Every page of a profile: its path, title, navigation section, audience and loader. Router, navigation and command palette are generated from this
 * list, in its order.
 */

const getParentRoute = () => profileRoute;
const inArea = (area: PageEntry['area'], title: string, isFor?: PageEntry['isFor']) => ({
  entry: { area, title, ...(isFor && { isFor }) },
});
const seesPeople = (membership: Membership) => membership.seesPeople;
const seesPayments = ({ may }: Membership) => may('commerce:read');
const isAdmin = (membership: Membership) => membership.isAdmin;

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
    staticData: { ...inArea('reports', t.pages.overview), hasDays: true, hasComparison: true },
    component: lazyRouteComponent(() => import('./screens/overview.tsx'), 'Overview'),
  }),
  campaigns: createRoute({
    getParentRoute,
    path: '/campaigns',
    staticData: { ...inArea('reports', t.pages.campaigns), hasDays: true, hasComparison: true },
    validateSearch: readCampaignSearch,
    component: lazyRouteComponent(() => import('./screens/campaigns.tsx'), 'Campaigns'),
  }),
  platforms: createRoute({
    getParentRoute,
    path: '/platforms',
    staticData: { ...inArea('reports', t.pages.platforms), hasDays: true },
    validateSearch: readCampaignSearch,
    component: lazyRouteComponent(() => import('./screens/comparison.tsx'), 'Comparison'),
  }),
  topAds: createRoute({
    getParentRoute,
    path: '/top-ads',
    staticData: inArea('reports', t.pages.topAds),
    validateSearch: readWindow,
    component: lazyRouteComponent(() => import('./screens/top-performers.tsx'), 'TopPerformers'),
  }),
  searchTerms: createRoute({
    getParentRoute,
    path: '/search-terms',
    staticData: { ...inArea('reports', t.pages.searchTerms), hasDays: true },
    component: lazyRouteComponent(() => import('./screens/search-terms.tsx'), 'SearchTerms'),
  }),
  models: createRoute({
    getParentRoute,
    path: '/models',
    staticData: { ...inArea('reports', t.pages.models), hasDays: true },
    component: lazyRouteComponent(() => import('./causes/models.tsx'), 'Models'),
  }),
  experiments: createRoute({
    getParentRoute,
    path: '/experiments',
    staticData: inArea('reports', t.pages.experiments),
    component: lazyRouteComponent(() => import('./causes/experiments.tsx'), 'Experiments'),
  }),
  cohorts: createRoute({
    getParentRoute,
    path: '/cohorts',
    staticData: { ...inArea('reports', t.pages.cohorts), hasDays: true },
    component: lazyRouteComponent(() => import('./screens/cohorts.tsx'), 'Cohorts'),
  }),
  reconciliation: createRoute({
    getParentRoute,
    path: '/reconciliation',
    staticData: { ...inArea('reports', t.pages.reconciliation), hasDays: true },
    component: lazyRouteComponent(() => import('./screens/reconciliation.tsx'), 'Reconciliation'),
  }),
  customers: createRoute({
    getParentRoute,
    path: '/customers',
    staticData: { ...inArea('people', t.pages.customers, seesPeople), hasDays: true },
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
    staticData: { ...inArea('people', t.metrics.payments), hasDays: true },
    component: lazyRouteComponent(() => import('./payments/payments.tsx'), 'Payments'),
  }),
  paymentMatches: createRoute({
    getParentRoute,
    path: '/payment-matches',
    staticData: inArea('people', t.sales.matches, seesPayments),
    validateSearch: readMatchSearch,
    component: lazyRouteComponent(() => import('./sales/payment-matches.tsx'), 'PaymentMatches'),
  }),
  mergeProposals: createRoute({
    getParentRoute,
    path: '/merge-proposals',
    staticData: inArea('people', t.pages.mergeProposals, seesPeople),
    component: lazyRouteComponent(() => import('./people/merge-proposals.tsx'), 'MergeProposals'),
  }),
  erasures: createRoute({
    getParentRoute,
    path: '/erasures',
    staticData: inArea('people', t.pages.erasures, isAdmin),
    validateSearch: readReceipt,
    component: lazyRouteComponent(() => import('./people/erasures.tsx'), 'Erasures'),
  }),
  accessLog: createRoute({
    getParentRoute,
    path: '/access-log',
    staticData: inArea('people', t.pages.accessLog, isAdmin),
    component: lazyRouteComponent(() => import('./workspace/access-log.tsx'), 'AccessLog'),
  }),
  adActions: createRoute({
    getParentRoute,
    path: '/ad-actions',
    staticData: inArea('ads', t.pages.adActions),
    component: lazyRouteComponent(() => import('./ads/ad-actions.tsx'), 'AdActions'),
  }),
  exports: createRoute({
    getParentRoute,
    path: '/exports',
    staticData: inArea('ads', t.pages.exports, ({ may }) => may('exports:read')),
    component: lazyRouteComponent(() => import('./ads/exports.tsx'), 'Exports'),
  }),
  setUp: createRoute({
    getParentRoute,
    path: '/set-up',
    staticData: inArea('data', t.pages.setUp),
    component: lazyRouteComponent(() => import('./data/set-up.tsx'), 'SetUp'),
  }),
  connections: createRoute({
    getParentRoute,
    path: '/connections',
    staticData: inArea('data', t.pages.connections),
    component: lazyRouteComponent(() => import('./data/connections.tsx'), 'Connections'),
  }),
  paymentSources: createRoute({
    getParentRoute,
    path: '/payment-sources',
    staticData: inArea('data', t.sales.sources, seesPayments),
    component: lazyRouteComponent(() => import('./sales/payment-sources.tsx'), 'PaymentSources'),
  }),
  goals: createRoute({
    getParentRoute,
    path: '/goals',
    staticData: inArea('data', t.pages.goals),
    component: lazyRouteComponent(() => import('./data/goals.tsx'), 'Goals'),
  }),
  tracking: createRoute({
    getParentRoute,
    path: '/tracking',
    staticData: { ...inArea('data', t.pages.tracking), hasDays: true },
    component: lazyRouteComponent(() => import('./data/tracking.tsx'), 'Tracking'),
  }),
  team: createRoute({
    getParentRoute,
    path: '/team',
    staticData: inArea('workspace', t.pages.team),
    component: lazyRouteComponent(() => import('./workspace/team.tsx'), 'Team'),
  }),
  reportMails: createRoute({
    getParentRoute,
    path: '/report-mails',
    staticData: inArea('workspace', t.pages.reportMails),
    validateSearch: readMailed,
    component: lazyRouteComponent(() => import('./workspace/report-mails.tsx'), 'ReportMails'),
  }),
  settings: createRoute({
    getParentRoute,
    path: '/settings',
    staticData: inArea('workspace', t.pages.settings, isAdmin),
    component: lazyRouteComponent(() => import('./workspace/settings.tsx'), 'Settings'),
  }),
  keys: createRoute({
    getParentRoute,
    path: '/keys',
    staticData: inArea('workspace', t.pages.keys, isAdmin),
    component: lazyRouteComponent(() => import('./workspace/keys.tsx'), 'Keys'),
  }),
  audit: createRoute({
    getParentRoute,
    path: '/audit',
    staticData: inArea('workspace', t.pages.audit, isAdmin),
    component: lazyRouteComponent(() => import('./workspace/audit.tsx'), 'Audit'),
  }),
  webhooks: createRoute({
    getParentRoute,
    path: '/webhooks',
    staticData: inArea('workspace', t.pages.webhooks),
    component: lazyRouteComponent(() => import('./screens/webhooks.tsx'), 'Webhooks'),
  }),
};
