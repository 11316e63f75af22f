import { namesOf } from './names-of.ts';

/** The page size of a list endpoint. A value outside the range is rejected. */
export interface PageSize {
  readonly min: number;
  readonly default: number;
  readonly max: number;
}

/** For lists that stay short. */
const shortPages = { min: 1, default: 50, max: 100 } as const;

/**
 * Every number that is part of a public promise. Routes, rules, jobs, settings, the reference and boundary tests read
 * it here; `npm run check` fails for an entry that nothing reads. A number outside its range is rejected, never
 * clamped.
 */
export const limits = {
  /** Clock skew to PostgreSQL at which a process is degraded, and not ready. Smaller skew is only corrected. */
  clock: { degradedMs: 60_000, notReadyMs: 300_000 },

  // Pages and batches
  customerList: { pageSize: { min: 1, default: 10, max: 100 } },
  journey: { pageSize: { min: 1, default: 50, max: 100 }, maxOffset: 1_000_000 },
  customerExport: { pageSize: { min: 1, default: 500, max: 1_000 } },
  customerSearch: { pageSize: { min: 1, default: 20, max: 50 }, queryMinCharacters: 2 },
  /** Page sizes for merged customers, merges undone by one request, and the maximum length of a reason. */
  identity: {
    pageSize: shortPages,
    most: { customers: 200, counted: 10_000, identifiers: 1_000, merges: 500 },
    splitAtOnce: 100,
    reasonCharacters: 500,
  },
  /**
   * Reconciliation compares `nightlyDays` every night, and all days since `firstDay` every week; no data is older. A
   * payment is not a difference until `graceHours` after it was made. A difference in spend is pending until the
   * platform has reported the same amount for `settledHours`.
   */
  reconciliation: {
    pageSize: shortPages,
    mostDifferences: 10_000,
    /** Maximum number of queued requests per profile. */
    mostQueued: 20,
    nightlyDays: 35,
    firstDay: '2000-01-01',
    graceHours: 48,
    settledHours: 24,
    keptDays: 400,
    noteCharacters: 500,
  },
  closings: { pageSize: shortPages },
  customerImport: { maxRows: 1_000 },
  events: { maxRows: 1_000, maxAheadMinutes: 5, namedDefinitions: 50 },
  /** How many names are searched and listed, and up to which number the outcomes of one name are counted. */
  receivedEvents: { days: 30, names: 500, most: 100, counted: 10_000 },
  /**
   * Fitted models: days of touches and purchases to learn from, maximum people and campaigns, and the minimum data
   * for a figure: purchases, share of value with a known touch, and maximum age of the fit. Calibration: the newest
   * tests that change figures, the campaigns changed by them, and the recent days whose spend must be close to the
   * tested one. Fits per night, and the hours after which an unfinished fit is abandoned.
   */
  models: {
    touchDays: 180,
    purchaseDays: 150,
    people: 50_000,
    types: 120,
    purchases: 2_000,
    seenPct: 30,
    freshDays: 14,
    tests: 20,
    calibrated: 500,
    spendDays: 28,
    refits: 2_000,
    fitHours: 6,
    pageSize: { min: 1, default: 50, max: 100 },
  },
  /**
   * Budget advice: minimum certainty, maximum budget change per step, campaigns per response, and ad sets per
   * campaign.
   */
  advice: {
    sureness: { min: 0.8, default: 0.8, max: 0.99 },
    stepPct: { min: 1, default: 30, max: 30 },
    rows: 50,
    adSets: 20,
  },
  /**
   * Experiments: duration and cool-down, number of regions, how long a result is valid and within which multiple of
   * the tested spend, and the maximum per profile.
   */
  experiments: {
    days: { min: 7, max: 90 },
    coolDownDays: { max: 28 },
    regions: { min: 10, max: 1_000 },
    validDays: 180,
    validSpendTimes: 2,
    entities: 20,
    max: 200,
    pageSize: { min: 1, default: 50, max: 100 },
  },
  /** Maximum pipeline stages stored per profile, and outcome definitions written by one request. */
  stages: { max: 500 },
  freshness: { behindAfterMinutes: 5 },
  exclusions: { counted: 10_000 },
  /** Reports as of an earlier time: how long replaced rows are kept, and the age after which a moment is final. */
  asOf: { keptDays: 730, settledAfterMinutes: 10 },
  payments: { pageSize: shortPages, entries: 100, attributionWaitMs: 3_000 },
  /** How long a refund that arrives before its payment waits for it. */
  refunds: { waitDays: 90 },
  /** Matching records of one sale across sources. */
  sales: {
    pageSize: shortPages,
    windowMinutes: { default: 10, min: 1, max: 1_440 },
    /** A reference shared by more records than this identifies none of them. */
    perReference: { most: 50 },
    bucket: { most: 20_000, perCustomer: 500 },
    decidedAtOnce: 10_000,
    /** GET /sale-sources counts only the newest payments of a source. */
    countedPerSource: 10_000,
    /** Outcomes read by one batch of a rescan. */
    rescannedAtOnce: 10_000,
    /** Members are alerted when duplicates first exceed this share of a day's cash, for this many days. */
    noticedShare: 0.02,
    noticedDays: 7,
  },
  adReferrals: { maxRows: 500, previewedConversions: 5_000 },
  /** Consent to duplicate and swap ads. */
  consent: { maxAgeHours: 24 },
  exports: {
    pageSize: shortPages,
    previewed: 50,
    mostTargets: 10,
    mostEvents: 50,
    everyMinutes: { min: 1, default: 15, max: 1_440 },
    keptDays: 90,
  },
  spend: { maxRows: 1_000 },
  linkTokens: { maxRows: 500, lifetimeDays: { min: 1, default: 90, max: 365 } },
  journeySummary: { maxEvents: 100, defaultUnitsPerDay: 50 },
  personConversions: { newest: 50 },
  personIdentifiers: { most: 100 },
  campaigns: { pageSize: { min: 1, default: 10, max: 100 } },
  cohorts: { pageSize: { min: 1, default: 50, max: 200 } },
  campaignTrend: { maxEntities: 10 },
  platformComparison: { maxEntities: 10_000 },
  urlTags: { maxAds: 25 },
  budgetStep: { maxChangePercent: 50, floorMinorUnits: 100 },
  adActions: { pageSize: shortPages, recent: 20, entries: 20, givenUpAfterHours: 24 },
  adIds: { pageSize: shortPages, days: 28 },
  topPerformers: {
    pageSize: { min: 1, default: 10, max: 50 },
    /** Across how many of a user's profiles an assistant may rank at once. */
    profiles: 50,
  },
  /** A thumbnail of an ad's creative. */
  creativePictures: { maxBytes: 512 * 1024, freshDays: 7, keptDays: 30, triedAgainAfterMinutes: 60 },
  campaignConversions: { pageSize: { min: 1, default: 50, max: 200 }, leftOutTouches: 20 },
  keys: { pageSize: shortPages },
  sharedViews: { pageSize: shortPages, most: 200, days: { default: 90, most: 366 } },
  savedViews: { most: 100, nameLength: 60, searchLength: 2_000 },
  /** Sent at this local hour of the profile. Retried after `againMinutes`, doubled each time. */
  reportMails: {
    most: 50,
    recipients: 20,
    hour: 7,
    campaigns: { overview: 5, campaigns: 25 },
    attempts: 6,
    againMinutes: 5,
  },
  deletedWorkspaces: { restorableDays: 7 },
  members: { pageSize: shortPages, created: 1_000 },
  profiles: { pageSize: shortPages },
  trackingEvents: { pageSize: shortPages, windowDays: 90 },
  trackingDomains: { most: 20 },
  passkeys: { most: 20 },
  trackingHosts: { most: 100 },
  outcomeReplay: { keptDays: 90, pageSize: { min: 1, default: 100, max: 100 } },
  connections: { pageSize: shortPages, errorCharacters: 1_000, rejectedShown: 20 },
  /** Search Console reports sixteen months. */
  searchTerms: { pageSize: { min: 1, default: 100, max: 1_000 }, keptDays: 490 },
  webhookDeliveries: { pageSize: shortPages, keptDays: 30, attemptsShown: 20 },

  // Values
  /**
   * Nesting levels and bytes of one event or list item. `fields` limits every object in any JSON body.
   */
  item: { fields: 100, depth: 4, bytes: 32 * 1_024 },
  /** Default limit of a request body. Routes that accept lists set a larger one. */
  bodyBytes: 256 * 1_024,
  /** Also the limit of the platform comparison; the specification leaves the other routes open. */
  dateRange: { maxDays: 366 },
  lookback: { days: { min: 1, default: 90, max: 365 } },
  /** A path has the first touch of the window and its last ones. Touches between are counted and get no credit. */
  path: { touches: 200 },
  /** An outcome that names a click type within this time after a visit by the same click type is the same click. */
  sameClick: { minutes: 30 },
  /** Payments of one customer within this many days after the first are one purchase. */
  firstPurchase: { days: 7 },
  requestRef: { maxCharacters: 200 },
  subjectRef: { maxCharacters: 32 },
  visit: {
    nameCharacters: 100,
    properties: 20,
    propertyNameCharacters: 64,
    propertyCharacters: 1_000,
    traitCharacters: 255,
    linkTokenCharacters: 1_024,
    verificationCharacters: 128,
    signatureCharacters: 80,
    /** Lifetime of an `identify` signature. Covers pages that stay open or cached. */
    signatureHours: 24,
    urlCharacters: 4_096,
    maxAheadMinutes: 5,
    maxAgeDays: 30,
  },
  visitRequest: { visits: 50, bytes: 64 * 1_024 },

  // Connecting
  handoff: {
    lifeMinutes: 45,
    /** How long a consent page may stay open: the lifetime of the signed state and of its cookie. */
    stateMinutes: 15,
    /** A consent that was interrupted on our side can be replaced after this time. */
    partwayReuseMinutes: 3,
    /** How long a user may take to choose one of several accounts. */
    parkedTokenMinutes: 60,
    returnUrlCharacters: 2_048,
    /** Maximum number of accounts to choose from after a consent. */
    mostCandidates: 5_000,
    keptDays: 90,
  },

  // Webhooks
  webhooks: {
    most: 20,
    urlCharacters: 2_048,
    timeoutSeconds: 15,
    /** The delay before each attempt; there is none after the last. */
    waitSeconds: [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400],
    /** How long a replaced secret still signs. */
    graceHours: 24,
    /** Maximum number of secrets within the grace period. */
    secretsAtOnce: 5,
    disabledAfterDays: 5,
  },

  /**
   * Provider webhooks: maximum size, and limits per minute for an address, for an account with its own signing secret, and for a provider
   * with one secret for all accounts. `unverifiedMebibytesPerHour` counts encrypted bytes stored before verification.
   */
  providerWebhooks: {
    bytes: 2 << 20,
    perMinute: {
      address: { requests: 6_000, mebibytes: 2_048 },
      account: { requests: 3_000, mebibytes: 512 },
      provider: { requests: 30_000, mebibytes: 8_192 },
    },
    unverifiedMebibytesPerHour: { account: 64, address: 256 },
    retryAfterSeconds: 30,
  },

  // Running
  idempotency: {
    replayHours: 24,
    /**
     * A small response is always stored for replay. Larger responses are stored up to this amount per caller and
     * hour; beyond it, only that the request was made.
     */
    smallAnswerBytes: 4_096,
    largeKibibytesPerHour: 8_192,
  },
  ratePerMinute: {
    app: { standard: 300, elevated: 1_200, internal: 6_000 },
    /** `max` is the highest limit an app may request. */
    apiKey: { min: 1, default: 300, max: 6_000 },
    /** For members, in the console or through an assistant. */
    member: 300,
    /** Per shared link, for all its viewers together. */
    sharedLink: 300,
    /**
     * POST /events, /customers and /spend have a bucket of their own, so that a backfill does not starve report
     * queries.
     */
    ingest: 6_000,
    /** Per address, for unauthenticated callers: token requests, public requests, and rejected requests. */
    token: 60,
    public: 600,
    /** Webhooks of a provider: a busy shop sends several per order, all from the same few addresses. */
    provider: 6_000,
    refused: 300,
  },
  /**
   * Budget of a credential, or of an address for requests without one: bytes of bodies and documents, and processor time for parsing requests
   * and serializing responses. A key that imports 1,000 rows 300 times a minute uses about half of it.
   */
  costPerMinute: {
    credential: { mebibytes: 256, processorMs: 30_000 },
    address: { mebibytes: 64, processorMs: 30_000 },
  },
  appToken: { lifeSeconds: 3_600 },
  invitation: { lifeDays: 7 },
  /** A password reset mail is sent at most once in `pauseMinutes` per account. */
  passwordReset: { lifeMinutes: 60, pauseMinutes: 2 },
  firstAccount: { lifeDays: 7 },
  /**
   * Assistants register themselves. A client without any grant is deleted after `unallowedHours`, and their number is
   * limited.
   */
  assistants: {
    registrationsPerHour: 5,
    registrationBytes: 8 * 1_024,
    nameCharacters: 200,
    textCharacters: 2_000,
    listEntries: 10,
    unallowedHours: 24,
    unallowedMost: 10_000,
    /** Clients without consent are deleted at the limit, oldest first, in batches. Genuine clients get consent within minutes. */
    unallowedMinutes: 10,
    replacedAtOnce: 100,
    tokenDays: 7,
  },
  trackingVerification: { lifeMinutes: 60, perMinute: 10 },
  piiAccessLog: { pageSize: shortPages, keptDays: 365 },
  auditLog: { pageSize: shortPages },
  erasures: { pageSize: shortPages },
  /**
   * A tracker counts as silent after this many hours, but not before this multiple of its longest recent pause. The
   * time of a profile's last visit is stored with this precision.
   */
  tracking: { silentAfterHours: 24, silentAfterPauses: 1.5, notedEveryMinutes: 10 },
  /** Reports normally show data within seconds of recording. An alert is raised after these delays. */
  alerts: { lateAfterMinutes: 60, syncFailingAfterMinutes: 60, keptDays: 90 },
} as const;

export type AppRateTier = keyof typeof limits.ratePerMinute.app;
export const appRateTiers = namesOf(limits.ratePerMinute.app);

/**
 * Limits of capabilities that no route of this version offers, reserved so that they are not reused with other
 * values.
 */
export const reservedLimits = {
  readEventsWindow: { maxDays: 90 },
  messagingWindow: { hours: 24, humanAgentDays: 7 },
  numberRegistration: { maxAttempts: 10, perHours: 72 },
  mediaMegabytes: { image: 5, video: 16, audio: 16, document: 100 },
} as const;
