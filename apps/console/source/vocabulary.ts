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

/** What the console needs of the contract while it runs. The build puts the values in this file's place, so that zod stays out of it. */
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
/** The least private first. */
export const privacyModes = PrivacyMode.options;
/** Whose reports have people in them. */
export const rolesWithPeople = Role.options.filter((role) =>
  (roles[role].scopes as readonly Scope[]).includes('customers:read'),
);
/** Who may say something of payments. */
export const rolesThatWrite = Role.options.filter((role) =>
  (roles[role].scopes as readonly Scope[]).includes('attribution:write'),
);
/** Owners and admins: they may erase a customer, and see settings, keys and logs. */
export const adminRoles: readonly Role[] = routes.createCustomerErasure.access.roles;
/** Who may make links to reports, and to which pages. */
export const rolesThatShare: readonly Role[] = routes.createSharedView.access.roles;
export const sharedPages = pagesThatAreShared;
/** Who may save views, and of which pages. */
export const rolesThatSaveViews: readonly Role[] = routes.saveView.access.roles;
export const savedPages = pagesThatAreSaved;
/** What members get by e-mail, and how often. */
export const languages = languagesOfMails;
export const mailedPages = pagesThatAreMailed;
export const mailRhythms = rhythmsOfMails;
/** What a role may do. */
export const scopesOf: Readonly<Record<Role, readonly Scope[]>> = {
  owner: roles.owner.scopes,
  admin: roles.admin.scopes,
  analyst: roles.analyst.scopes,
  viewer: roles.viewer.scopes,
};
/** Those that read people. */
export const personScopes: readonly Scope[] = scopesOfPeople;
/** Every provider that can be connected. */
export const channels = channelsOfVocabulary;
/** Whose ads can have spend. */
export const adPlatforms = adPlatformNames;
/** Who is connected through a link. */
export const handoffProviders = providersByLink;
/** The webhook events that a workspace subscribes to; those that name customers go to apps. */
export const webhookEvents = liveEventNames.filter((name) => events[name].grain === 'profile') as readonly Exclude<
  (typeof liveEventNames)[number],
  'outcome.recorded'
>[];
/** What the audit log names a change; a refused one has the name of its operation there. */
export const auditActions: Readonly<Record<string, string>> = Object.fromEntries(
  Object.values(routes).flatMap((route) =>
    'audit' in route && typeof route.audit === 'object' ? [[route.id, route.audit.action]] : [],
  ),
);
