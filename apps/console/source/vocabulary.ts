import {
  ErasureReason,
  events,
  IdentifierType,
  liveEventNames,
  PrivacyMode,
  Role,
  routes,
  type Scope,
  ScoreWindow,
} from '@tributary/contract';
import {
  adPlatformNames,
  attributionModels,
  channels as channelsOfVocabulary,
  limits as contractLimits,
  languages as languagesOfMails,
  mailedPages as pagesThatAreMailed,
  savedPages as pagesThatAreSaved,
  sharedPages as pagesThatAreShared,
  handoffProviders as providersByLink,
  mailRhythms as rhythmsOfMails,
  roles,
  personScopes as scopesOfPeople,
  proposalStates as statesOfProposals,
} from '@tributary/vocabulary';

/** The values of the contract that the console needs at run time. The build replaces this file with constants, so that zod is not bundled. */
export const models = attributionModels;
export const mergeProposalStates = statesOfProposals;
export const scoreWindows = ScoreWindow.options;
export const limits = {
  campaigns: contractLimits.campaigns.pageSize.max,
  topPerformers: contractLimits.topPerformers.pageSize.max,
  rangeDays: contractLimits.dateRange.maxDays,
  adActions: contractLimits.adActions.pageSize.max,
  budgetStep: contractLimits.budgetStep,
  customers: contractLimits.customerList.pageSize.max,
  journey: contractLimits.journey.pageSize,
  searchMinCharacters: contractLimits.customerSearch.queryMinCharacters,
  lookbackDays: contractLimits.lookback.days,
  receivedEvents: { counted: contractLimits.receivedEvents.counted },
  viewName: contractLimits.savedViews.nameLength,
  exportMinutes: contractLimits.exports.everyMinutes,
  saleWindowMinutes: contractLimits.sales.windowMinutes,
  requestRefCharacters: contractLimits.requestRef.maxCharacters,
};
export const identifierTypes = IdentifierType.options;
export const erasureReasons = ErasureReason.options;
/** Least private first. */
export const privacyModes = PrivacyMode.options;
/** The roles that may see customers. */
export const rolesWithPeople = Role.options.filter((role) =>
  (roles[role].scopes as readonly Scope[]).includes('customers:read'),
);
/** The roles that may correct payments. */
export const rolesThatWrite = Role.options.filter((role) =>
  (roles[role].scopes as readonly Scope[]).includes('attribution:write'),
);
/** Owners and admins: may erase customers, and see settings, keys and logs. */
export const adminRoles: readonly Role[] = routes.createCustomerErasure.access.roles;
/** The roles that may create shared links, and the pages that can be shared. */
export const rolesThatShare: readonly Role[] = routes.createSharedView.access.roles;
export const sharedPages = pagesThatAreShared;
/** The roles that may save views, and the pages that can be saved. */
export const rolesThatSaveViews: readonly Role[] = routes.saveView.access.roles;
export const savedPages = pagesThatAreSaved;
/** The options of scheduled reports. */
export const languages = languagesOfMails;
export const mailedPages = pagesThatAreMailed;
export const mailRhythms = rhythmsOfMails;
export const scopesOf: Readonly<Record<Role, readonly Scope[]>> = {
  owner: roles.owner.scopes,
  admin: roles.admin.scopes,
  analyst: roles.analyst.scopes,
  viewer: roles.viewer.scopes,
};
/** The scopes that grant access to personal data. */
export const personScopes: readonly Scope[] = scopesOfPeople;
/** Every provider that can be connected. */
export const channels = channelsOfVocabulary;
/** The platforms whose ads can have spend. */
export const adPlatforms = adPlatformNames;
/** The providers that are connected through a link. */
export const handoffProviders = providersByLink;
/** The webhook events that a workspace can subscribe to; events about customers go to apps. */
export const webhookEvents = liveEventNames.filter((name) => events[name].grain === 'profile') as readonly Exclude<
  (typeof liveEventNames)[number],
  'outcome.recorded'
>[];
/** Maps operation ids to audit actions; the audit log names a refused change by its operation id. */
export const auditActions: Readonly<Record<string, string>> = Object.fromEntries(
  Object.values(routes).flatMap((route) =>
    'audit' in route && typeof route.audit === 'object' ? [[route.id, route.audit.action]] : [],
  ),
);
