import { namesOf } from './names-of.ts';

/**
 * What data a response contains: figures of a profile, its customers, the workspace, or only the caller's own
 * account.
 */
export const scopeGrains = ['profile', 'person', 'workspace', 'account'] as const;
export type ScopeGrain = (typeof scopeGrains)[number];

interface ScopeEntry {
  readonly grain: ScopeGrain;
  readonly description: string;
}

/** The scopes that a route may require and a key may have. */
export const scopes = {
  'customers:read': {
    grain: 'person',
    description: 'See who customers are: names, contact details and full journeys.',
  },
  'visitors:read': { grain: 'person', description: 'See single visitors and the raw feed of their events.' },
  'conversions:read': { grain: 'profile', description: 'Read conversions, and journeys with the person left out.' },
  'campaigns:read': { grain: 'profile', description: 'Read campaign, ad-set and ad reports and the ranking of ads.' },
  'analytics:read': { grain: 'profile', description: 'Read tracking health, settings and pipeline mappings.' },
  'commerce:read': { grain: 'profile', description: 'Read payments.' },
  'connections:read': { grain: 'profile', description: 'Read connections, their syncs and webhook subscriptions.' },
  'exports:read': { grain: 'profile', description: 'Read conversion exports and the pixels they go to.' },
  'attribution:write': { grain: 'profile', description: 'Send customers, events and payments, and run the tracker.' },
  'goals:write': { grain: 'profile', description: 'Decide which events count as conversions.' },
  'connections:write': { grain: 'profile', description: 'Connect, sync and disconnect providers; manage webhooks.' },
  'campaigns:apply': { grain: 'profile', description: 'Change live ads: pause, resume, set budgets, write URL tags.' },
  'creatives:write': { grain: 'profile', description: 'Start analyses of ad creatives.' },
  'exports:write': { grain: 'profile', description: 'Configure what is exported to ad platforms, and how privately.' },
  'profiles:write': { grain: 'workspace', description: 'Create profiles.' },
  'workspaces:write': { grain: 'workspace', description: 'Create and administer workspaces.' },
} as const satisfies Record<string, ScopeEntry>;

export type Scope = keyof typeof scopes;
export const scopeNames = namesOf(scopes);

/** The scopes that show personal data. No partner app ever has one on a healthcare-family profile. */
export const personScopes = scopeNames.filter((scope) => scopes[scope].grain === 'person');

/** A scope name as users grant it, and the scopes it stands for. */
export interface Bundle {
  readonly description: string;
  readonly scopes: readonly Scope[];
  /** Granted in addition while keys created before the `connections` scope existed are being replaced. */
  readonly duringSwapWindow?: readonly Scope[];
}

const analytics = ['campaigns:read', 'conversions:read', 'analytics:read', 'exports:read', 'commerce:read'] as const;

/**
 * The scopes that a partner app requests on a consent screen. A grant is a set of these; routes check the scopes they
 * stand for.
 */
export const oauthScopes = {
  analytics: { description: 'See reports, without people.', scopes: analytics },
  analytics_pii: {
    description: 'See reports and the people in them.',
    scopes: [...analytics, 'customers:read', 'visitors:read'],
  },
  attribution_write: {
    description: 'Send customers, events and payments.',
    scopes: ['attribution:write', 'goals:write'],
    duringSwapWindow: ['connections:read', 'connections:write'],
  },
  connections: {
    description: 'Connect and watch outside providers. Needs no connection to exist yet.',
    scopes: ['connections:read', 'connections:write'],
  },
  campaigns_apply: { description: 'Change live ads.', scopes: ['campaigns:apply', 'creatives:write'] },
  exports: { description: 'Manage exports to ad platforms.', scopes: ['exports:read', 'exports:write'] },
} as const satisfies Record<string, Bundle>;
export type OAuthScope = keyof typeof oauthScopes;

/**
 * The scopes a user grants an assistant. Reading personal data is deliberately missing: it needs an explicit grant,
 * and this one is the default.
 */
export const mcpScopes = {
  'mcp:read': { description: 'Let an assistant read reports.', scopes: [...analytics, 'connections:read'] },
  'mcp:write': {
    description: 'Let an assistant create workspaces and profiles.',
    scopes: ['workspaces:write', 'profiles:write'],
  },
} as const satisfies Record<string, Bundle>;
export type McpScope = keyof typeof mcpScopes;

const everyScope: readonly Scope[] = scopeNames;
const viewer = [...analytics, 'connections:read'] as const satisfies readonly Scope[];

/**
 * What a member may do in the console. Owner and admin have the same scopes: only an owner archives or transfers the
 * workspace, which no scope covers.
 */
export const roles = {
  owner: { description: 'Everything, and the workspace itself.', scopes: everyScope },
  admin: { description: 'Everything inside the workspace.', scopes: everyScope },
  analyst: {
    description: 'All reports, the people in them, and what counts as a conversion.',
    scopes: [...viewer, 'customers:read', 'visitors:read', 'goals:write', 'creatives:write'],
  },
  viewer: { description: 'Reports, without people.', scopes: viewer },
} as const satisfies Record<string, Bundle>;
export type Role = keyof typeof roles;
export const roleNames = namesOf(roles);

export const credentialKinds = {
  api_key: 'A key of a partner app or workspace, sent as a Bearer token.',
  session: 'A person signed in to the console, known by a cookie.',
  mcp: 'A token that a person gave to an assistant.',
  app: "A partner app's own token, from the client-credentials grant.",
  client_secret: "A partner app's id and secret. Accepted by the token endpoint only.",
  tracking_key: 'The public key inside the tracker. It may report visits and read nothing.',
  shared_link:
    'A link to one report, sent as a Bearer token by the page that it opens. It reads that report and nothing else.',
  public: 'No credential.',
} as const satisfies Record<string, string>;
export type CredentialKind = keyof typeof credentialKinds;

/** The console pages that a shared link may show: those without personal data. */
export const sharedPages = ['overview', 'campaigns', 'platforms', 'top-ads', 'cohorts'] as const;
export type SharedPage = (typeof sharedPages)[number];

/**
 * How the days that an answer shows are chosen: by `date_from` and `date_to` of the request; by the server, which names them in `meta`; by
 * the stored data (`any`, never readable through a link); or the response has no days.
 */
export const shownDays = ['requested', 'answered', 'any', 'none'] as const;
export type ShownDays = (typeof shownDays)[number];

/** No customers; only the customer keys that the caller assigned; or names and contact data. */
export const shownPeople = ['none', 'keys', 'named'] as const;
export type ShownPeople = (typeof shownPeople)[number];

/** The console pages that members can save as views for each other: reports without personal data. */
export const savedPages = [...sharedPages, 'search-terms', 'models', 'reconciliation'] as const;
export type SavedPage = (typeof savedPages)[number];

/** Scopes of an app token without a profile: it can only create profiles and workspaces. */
export const unboundAppScopes = ['profiles:write', 'workspaces:write'] as const satisfies readonly Scope[];

/** Rate limit buckets, separate so that ingest does not starve report queries, or the reverse. */
export const rateBuckets = ['standard', 'ingest', 'token', 'public', 'provider'] as const;
export type RateBucket = (typeof rateBuckets)[number];

/** What a workspace's plan includes, and the next larger plan. */
export const plans = {
  free: { activeProfiles: 3, members: 10, visitsPerDay: 100_000, next: 'growth' },
  growth: { activeProfiles: 25, members: 100, visitsPerDay: 2_000_000, next: 'scale' },
  scale: { activeProfiles: 10_000, members: 10_000, visitsPerDay: 100_000_000, next: 'scale' },
} as const;
export type Plan = keyof typeof plans;
export const planNames = namesOf(plans);

export const invitationStatuses = ['pending', 'accepted', 'revoked', 'expired'] as const;
export type InvitationStatus = (typeof invitationStatuses)[number];

/** The kinds of principal that can create a credential: a member, an app, or the operator of the installation. */
export const creatorKinds = ['user', 'app', 'operator'] as const;
export type CreatorKind = (typeof creatorKinds)[number];

/** Kinds of objects that outlive the membership of the member who created them. */
export const createdKinds = ['api_key', 'shared_view', 'report_mail', 'invitation', 'assistant'] as const;
export type CreatedKind = (typeof createdKinds)[number];

/** The result of an audited action. */
export const auditResults = ['done', 'refused'] as const;
export type AuditResult = (typeof auditResults)[number];

/** Whether personal data was disclosed, in the data access log. */
export const accessResults = ['served', 'refused'] as const;
export type AccessResult = (typeof accessResults)[number];

/** The purposes of the service's own keys. */
export const keyPurposes = ['envelope', 'session', 'link_token', 'stream', 'tombstone', 'visitor'] as const;
export type KeyPurpose = (typeof keyPurposes)[number];
