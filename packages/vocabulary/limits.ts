import { namesOf } from './names-of.ts';

/** A page size in a query: one outside its range is refused. */
export interface PageSize {
  readonly min: number;
  readonly default: number;
  readonly max: number;
}

/** Of lists that nobody pages through by the thousand. */
const shortPages = { min: 1, default: 50, max: 100 } as const;

/**
 * Every number that is promised to somebody outside, once. Routes, rules, jobs, settings, the reference and the tests' boundaries read it here;
 * `npm run check` refuses an entry that nobody reads. A number outside its range is refused, never bent to fit.
 */
export const limits = {
  /** Clock skew to PostgreSQL at which a process is degraded, and not ready. Smaller skew is only corrected. */
  clock: { degradedMs: 60_000, notReadyMs: 300_000 },

  // Pages and batches
  customerList: { pageSize: { min: 1, default: 10, max: 100 } },
  journey: { pageSize: { min: 1, default: 50, max: 100 }, maxOffset: 1_000_000 },
  customerExport: { pageSize: { min: 1, default: 500, max: 1_000 } },
  customerSearch: { pageSize: { min: 1, default: 20, max: 50 }, queryMinCharacters: 2 },
  /** What is shown of a person who was several, merges undone by one request, and how long a reason may be. */
  identity: {
    pageSize: shortPages,
    most: { customers: 200, counted: 10_000, identifiers: 1_000, merges: 500 },
    splitAtOnce: 100,
    reasonCharacters: 500,
  },
  /**
   * Every night so many days, and every week all of them, from a day before which nobody recorded anything. A payment is no fault so many hours after it
   * was made, nor what an ad account says before it has said so for as many.
   */
  reconciliation: {
    pageSize: shortPages,
    mostDifferences: 10_000,
    /** Requested ones of a profile that wait. */
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
  /** Names that are looked up and listed, and how far the outcomes of one are counted. */
  receivedEvents: { days: 30, names: 500, most: 100, counted: 10_000 },
  /**
   * Of fitted models: days of touches and of purchases that are learned from, people that are looked at, campaigns told apart, and when there is no
   * figure: below so many purchases, so much of their value with a known touch, and so long after the fit. Of calibration: the newest tests that move
   * figures, the campaigns that they move, and the last days whose spend must be near the tested one. Fits of a night, and the hours after which one
   * that did not end is given up.
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
   * Of advice on budgets: how sure it is at least, how far it moves a budget at once, campaigns that it speaks of, and ad sets of each.
   */
  advice: {
    sureness: { min: 0.8, default: 0.8, max: 0.99 },
    stepPct: { min: 1, default: 30, max: 30 },
    rows: 50,
    adSets: 20,
  },
  /**
   * Of experiments: how long they run and are waited for afterwards, how many regions they need, how long what was tested holds and within which
   * multiple of the tested spend, and how many a profile may have.
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
  /** Stages of a profile's pipelines that are kept, and outcome definitions written by one request. */
  stages: { max: 500 },
  freshness: { behindAfterMinutes: 5 },
  exclusions: { counted: 10_000 },
  /** Of reports as they stood: for how long what was replaced is kept, and how old a moment is of which nothing more will become known. */
  asOf: { keptDays: 730, settledAfterMinutes: 10 },
  payments: { pageSize: shortPages, entries: 100, attributionWaitMs: 3_000 },
  /** A refund that comes before its payment waits for it for so long. */
  refunds: { waitDays: 90 },
  /** How records of one sale are found across sources. */
  sales: {
    pageSize: shortPages,
    windowMinutes: { default: 10, min: 1, max: 1_440 },
    /** A reference that more records carry identifies none of them. */
    perReference: { most: 50 },
    bucket: { most: 20_000, perCustomer: 500 },
    decidedAtOnce: 10_000,
    /** Payments of a source that GET /sale-sources counts: the newest ones. */
    countedPerSource: 10_000,
    /** Outcomes that one batch of a rescan reads. */
    rescannedAtOnce: 10_000,
    /** Members are alerted when duplicates are more than this share of a day's cash for the first time, and for so many days. */
    noticedShare: 0.02,
    noticedDays: 7,
  },
  adReferrals: { maxRows: 500, previewedConversions: 5_000 },
  /** Consent to have ads duplicated and swapped. */
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
    /** Over how many of a person's profiles an assistant may rank at once. */
    profiles: 50,
  },
  /** A picture of an ad's creative, as a platform shows it small. */
  creativePictures: { maxBytes: 512 * 1024, freshDays: 7, keptDays: 30, triedAgainAfterMinutes: 60 },
  campaignConversions: { pageSize: { min: 1, default: 50, max: 200 }, leftOutTouches: 20 },
  keys: { pageSize: shortPages },
  sharedViews: { pageSize: shortPages, most: 200, days: { default: 90, most: 366 } },
  savedViews: { most: 100, nameLength: 60, searchLength: 2_000 },
  /** Sent at this hour where the profile is. Tried again after so many minutes, each time twice as many. */
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
  /** Search Console tells of sixteen months. */
  searchTerms: { pageSize: { min: 1, default: 100, max: 1_000 }, keptDays: 490 },
  webhookDeliveries: { pageSize: shortPages, keptDays: 30, attemptsShown: 20 },

  // Values
  /**
   * Nesting levels and bytes of one event or list item. `fields` limits every object in any JSON body.
   */
  item: { fields: 100, depth: 4, bytes: 32 * 1_024 },
  /** Default limit of a request body. Routes that accept lists set a larger one. */
  bodyBytes: 256 * 1_024,
  /** Also the platform comparison's own; the spec leaves the other routes' open. */
  dateRange: { maxDays: 366 },
  lookback: { days: { min: 1, default: 90, max: 365 } },
  /** A path is the window's first touch and its last ones: what lies between is counted and gets no credit. */
  path: { touches: 200 },
  /** An outcome that names a click, so many minutes after a visit by a click of the same kind, tells of that visit's click once more. */
  sameClick: { minutes: 30 },
  /** Payments of one customer within so many days after the first are one purchase. */
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
    /** How long a consent page may stand open: the life of the signed state and of the cookie beside it. */
    stateMinutes: 15,
    /** A consent that stopped on our side gives way after so long. */
    partwayReuseMinutes: 3,
    /** How long somebody may take to choose one of several accounts. */
    parkedTokenMinutes: 60,
    returnUrlCharacters: 2_048,
    /** Accounts that a consent may leave to be chosen from. */
    mostCandidates: 5_000,
    keptDays: 90,
  },

  // Webhooks
  webhooks: {
    most: 20,
    urlCharacters: 2_048,
    timeoutSeconds: 15,
    /** Before each attempt; none after the last. */
    waitSeconds: [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400],
    /** A replaced secret still signs for so long. */
    graceHours: 24,
    /** Rotations within the grace. */
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
    /** A small answer is always kept. Of larger ones a caller has so much kept an hour; beyond it, only that there was one. */
    smallAnswerBytes: 4_096,
    largeKibibytesPerHour: 8_192,
  },
  ratePerMinute: {
    app: { standard: 300, elevated: 1_200, internal: 6_000 },
    /** `max` is what an app may ask for. */
    apiKey: { min: 1, default: 300, max: 6_000 },
    /** In the console, or through an assistant. */
    member: 300,
    /** Of a link to a report, whoever and however many open it. */
    sharedLink: 300,
    /** POST /events, /customers and /spend have a bucket of their own, so that a backfill does not starve the reports. */
    ingest: 6_000,
    /** By address, for whoever is not known: requests for tokens, public ones, and those that are refused. */
    token: 60,
    public: 600,
    /** Webhooks of a provider: a busy shop sends some for each of its orders, all from the same few addresses. */
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
  /** A reset mail is sent at most once in `pauseMinutes` per account. */
  passwordReset: { lifeMinutes: 60, pauseMinutes: 2 },
  firstAccount: { lifeDays: 7 },
  /** Assistants register themselves. One that nobody has allowed anything is forgotten, and there are only so many of them. */
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
   * A tracker is silent after so many hours, and not before so many times the longest pause of the last weeks; when a profile's last visit came is
   * known to within so many minutes.
   */
  tracking: { silentAfterHours: 24, silentAfterPauses: 1.5, notedEveryMinutes: 10 },
  /** Reports show what is recorded within seconds. Whoever waits for longer than this is told. */
  alerts: { lateAfterMinutes: 60, syncFailingAfterMinutes: 60, keptDays: 90 },
} as const;

export type AppRateTier = keyof typeof limits.ratePerMinute.app;
export const appRateTiers = namesOf(limits.ratePerMinute.app);

/** Numbers of capabilities that no route of this version offers. They stand here so that nobody gives them another value. */
export const reservedLimits = {
  readEventsWindow: { maxDays: 90 },
  messagingWindow: { hours: 24, humanAgentDays: 7 },
  numberRegistration: { maxAttempts: 10, perHours: 72 },
  mediaMegabytes: { image: 5, video: 16, audio: 16, document: 100 },
} as const;
