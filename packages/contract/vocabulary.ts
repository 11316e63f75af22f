import { z } from 'zod';
import { enumOf } from './primitives.ts';

// ── Attribution ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * `credit` decides what may be added up: with `single`, campaign rows and the unattributed rest make the total; with `multiple`,
 * one conversion counts under each entity that it credits.
 */
export const attributionModels = {
  last_touch: { credit: 'single', description: 'The last touch before the conversion earns all.' },
  first_touch: { credit: 'single', description: 'The first touch earns all.' },
  last_non_direct: {
    credit: 'single',
    description: 'The last touch that was not a direct visit earns all, if there is one.',
  },
  linear: { credit: 'multiple', description: 'All touches earn the same.' },
  time_decay: { credit: 'multiple', description: 'A touch earns half as much for every 7 days it lies further back.' },
  position_based: { credit: 'multiple', description: 'First and last touch earn 40% each, those between share 20%.' },
} as const satisfies Record<string, { credit: 'single' | 'multiple'; description: string }>;

export type AttributionModel = keyof typeof attributionModels;
export const AttributionModel = enumOf(attributionModels);
export const AttributionModelParameter = AttributionModel.default('last_touch');

/** Current: all that is known is in the reports, but for what came within the last seconds. Behind: more waits, or a replay runs. */
export const Freshness = z.enum(['current', 'behind']);
export type Freshness = z.infer<typeof Freshness>;

export const EntityLevel = z.enum(['campaign', 'ad_set', 'ad']);
export type EntityLevel = z.infer<typeof EntityLevel>;

/** How far the platform's delivery of an ad set has learnt. */
export const LearningStage = z.enum(['LEARNING', 'SUCCESS', 'FAIL']);
export type LearningStage = z.infer<typeof LearningStage>;

/** `unknown` is ours: an event sent from a server has no device. */
export const Device = z.enum(['desktop', 'mobile', 'tablet', 'unknown']);
export type Device = z.infer<typeof Device>;

// ── Conversions ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export const RevenueType = z.enum(['cash', 'pipeline', 'gross']);
export type RevenueType = z.infer<typeof RevenueType>;

/** The conversion types every profile has, and what kind of money each stands for. A definition may add its own by a conversion_key. */
export const conversionTypes = {
  lead_created: { revenueType: 'pipeline' },
  messaging_started: { revenueType: 'pipeline' },
  appointment_booked: { revenueType: 'pipeline' },
  quote_sent: { revenueType: 'pipeline' },
  closed_won: { revenueType: 'pipeline' },
  payment_received: { revenueType: 'cash' },
  order_placed: { revenueType: 'gross' },
} as const satisfies Record<string, { revenueType: RevenueType }>;

export type ConversionType = keyof typeof conversionTypes;
export const ConversionType = enumOf(conversionTypes);

/** A conversion type, one of ours or a definition's own. */
export const ConversionKey = z
  .string()
  .max(64)
  .regex(/^[a-z][a-z0-9_]*$/, 'must be small letters, digits and _, starting with a letter');

/** Where an event happened. Goes to the ad platform word for word. */
export const ActionSource = z.enum([
  'website',
  'business_messaging',
  'physical_store',
  'system_generated',
  'app',
  'phone_call',
  'chat',
  'email',
  'other',
]);
export type ActionSource = z.infer<typeof ActionSource>;

export const ClickIdKind = z.enum([
  'gclid',
  'gbraid',
  'wbraid',
  'fbclid',
  'fbc',
  'fbp',
  'ttclid',
  'msclkid',
  'ctwa_clid',
]);
export type ClickIdKind = z.infer<typeof ClickIdKind>;

/** How a customer says they found the business. */
export const DeclaredSourceAnswer = z.enum([
  'instagram',
  'facebook',
  'tiktok',
  'google',
  'youtube',
  'linkedin',
  'whatsapp',
  'email',
  'friend_referral',
  'walk_in',
  'event',
  'press',
  'tv_radio',
  'ai_assistant',
  'other',
]);
export type DeclaredSourceAnswer = z.infer<typeof DeclaredSourceAnswer>;

// ── People ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export const PrivacyMode = z.enum(['standard', 'platform_safe', 'hipaa']);
export type PrivacyMode = z.infer<typeof PrivacyMode>;

/** What `identifier_type` may be. E-mail and phone have fields of their own. */
export const IdentifierType = z.enum([
  'external_customer_id',
  'crm_contact_id',
  'store_customer_id',
  'payments_customer_id',
  'national_id',
]);
export type IdentifierType = z.infer<typeof IdentifierType>;

/** Everything a customer is known by. */
export const IdentifierKind = z.enum([...IdentifierType.options, 'email', 'phone', 'wa_id']);
export type IdentifierKind = z.infer<typeof IdentifierKind>;

/** The parameter of a link that says who it was sent to. */
export const linkTokenParameter = 'svc_t';

export const ErasureStatus = z.enum(['queued', 'done']);
export type ErasureStatus = z.infer<typeof ErasureStatus>;

export const ErasureReason = z.enum(['data_subject_request', 'account_closed', 'other']);
export type ErasureReason = z.infer<typeof ErasureReason>;

// ── Providers and connections ───────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * A connection's `channel`. `connect` says how one comes about: through a hand-off that a person finishes, or through routes of its
 * own (a store, for one, can only be installed from the store's side).
 */
export const channels = {
  social_ads: { kind: 'ads', connect: 'handoff' },
  search_ads: { kind: 'ads', connect: 'handoff' },
  search_console: { kind: 'search', connect: 'handoff' },
  crm_a: { kind: 'crm', connect: 'handoff' },
  payments_a: { kind: 'payments', connect: 'handoff' },
  payments_b: { kind: 'payments', connect: 'handoff' },
  bank_link: { kind: 'payments', connect: 'own_routes' },
  store: { kind: 'store', connect: 'own_routes' },
  chatbot: { kind: 'messaging', connect: 'own_routes' },
} as const satisfies Record<string, { kind: string; connect: 'handoff' | 'own_routes' }>;

export type Channel = keyof typeof channels;
export const Channel = enumOf(channels);

export const HandoffProvider = Channel.extract([
  'social_ads',
  'search_ads',
  'search_console',
  'crm_a',
  'payments_a',
  'payments_b',
]);
export type HandoffProvider = z.infer<typeof HandoffProvider>;

/** Who reports payments. `cardpay` has no connection: its payments are posted to us. */
export const PaymentProvider = z.enum(['payments_a', 'payments_b', 'bank_link', 'cardpay']);
export type PaymentProvider = z.infer<typeof PaymentProvider>;

/** Who an outcome.recorded may come from. */
export const OutcomeProvider = z.enum(['crm_a', ...PaymentProvider.options]);
export type OutcomeProvider = z.infer<typeof OutcomeProvider>;

/** Who told of an outcome: the business itself by `POST /events`, a file or its website, or a provider that it has connected. */
export const OutcomeSource = z.enum(['api', 'import', 'browser', ...OutcomeProvider.options]);
export type OutcomeSource = z.infer<typeof OutcomeSource>;

export const ConnectionStatus = z.enum(['pending', 'connected', 'needs_action', 'reconnect_required', 'disconnected']);
export type ConnectionStatus = z.infer<typeof ConnectionStatus>;

export const SyncState = z.enum(['idle', 'queued', 'running', 'failed']);
export type SyncState = z.infer<typeof SyncState>;

export const HandoffStatus = z.enum(['pending', 'completed', 'failed', 'cancelled']);
export type HandoffStatus = z.infer<typeof HandoffStatus>;

/** `status` on the way back to the caller's page. */
export const BounceStatus = z.enum(['success', 'pending_selection', 'failed', 'cancelled']);
export type BounceStatus = z.infer<typeof BounceStatus>;

interface HandoffReasonEntry {
  readonly status: 'failed' | 'cancelled';
  /** A reason that settles nothing shows on the bounce only; one that leaves nowhere to send the person shows on a read only. */
  readonly seenOn: 'both' | 'bounce' | 'read';
  readonly meaning: string;
}

export const handoffReasons = {
  user_cancelled: {
    status: 'cancelled',
    seenOn: 'both',
    meaning: 'The person said no to the provider. Offer another try.',
  },
  provider_denied: {
    status: 'failed',
    seenOn: 'both',
    meaning: 'The provider turned our request down; so it will again.',
  },
  provider_error: { status: 'failed', seenOn: 'both', meaning: 'The provider broke down on the way. Try again later.' },
  token_exchange_failed: {
    status: 'failed',
    seenOn: 'both',
    meaning: 'The provider gave us no token for its code. Try again.',
  },
  account_connected_elsewhere: {
    status: 'failed',
    seenOn: 'both',
    meaning: 'A sister profile of the workspace holds this account. Disconnect it there first.',
  },
  no_candidates: { status: 'failed', seenOn: 'both', meaning: 'The person consented, but has no account to connect.' },
  connect_failed: { status: 'failed', seenOn: 'both', meaning: 'We could not store the connection. Try again.' },
  internal_error: {
    status: 'failed',
    seenOn: 'bounce',
    meaning: 'We stumbled before anything was stored. The hand-off is still open: the same link works again.',
  },
  state_expired: { status: 'failed', seenOn: 'both', meaning: 'The consent screen stood open for over 15 minutes.' },
  state_invalid: {
    status: 'failed',
    seenOn: 'bounce',
    meaning: 'The person came back in another browser, or the link was changed. Stay in one browser.',
  },
  handoff_expired: { status: 'failed', seenOn: 'both', meaning: 'Its 45 minutes are over. Mint a new one.' },
  handoff_used: {
    status: 'failed',
    seenOn: 'bounce',
    meaning: 'It has already ended without a connection, or another consent for it is being finished.',
  },
  provider_not_configured: { status: 'failed', seenOn: 'both', meaning: 'The operator has not set this provider up.' },
  origin_not_allowed: {
    status: 'failed',
    seenOn: 'read',
    meaning: 'The app no longer allows the return_url that was given at the mint, so nobody is sent there.',
  },
} as const satisfies Record<string, HandoffReasonEntry>;

export type HandoffReason = keyof typeof handoffReasons;
export const HandoffReason = enumOf(handoffReasons);

// ── Payments ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export const PaymentStatus = z.enum(['pending', 'succeeded', 'failed', 'partially_refunded', 'refunded', 'disputed']);
export type PaymentStatus = z.infer<typeof PaymentStatus>;

/** `status` of the payment list is a question about the payer, not a PaymentStatus. */
export const PaymentFilter = z.enum(['all', 'unidentified']);
export type PaymentFilter = z.infer<typeof PaymentFilter>;

// ── Top performers ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

export const ScoreWindow = z.enum(['7d', '14d', '28d', 'lifetime']);
export type ScoreWindow = z.infer<typeof ScoreWindow>;
export const ScoreWindowParameter = ScoreWindow.default('28d');

export const Objective = z.enum(['messaging', 'sales', 'leads', 'traffic', 'awareness']);
export type Objective = z.infer<typeof Objective>;

export const TruthGrade = z.enum(['predicted', 'attributed', 'lift']);
export type TruthGrade = z.infer<typeof TruthGrade>;

/** `meta` is a wire name for the ad platform's own count, whichever platform it is. */
export const OutcomeKind = z.enum(['cash', 'pipeline', 'messaging', 'meta', 'none']);
export type OutcomeKind = z.infer<typeof OutcomeKind>;

export const MaturityStage = z.enum(['cold', 'early', 'mature', 'calibrated']);
export type MaturityStage = z.infer<typeof MaturityStage>;

export const ScoreSource = z.enum(['model', 'rules']);
export type ScoreSource = z.infer<typeof ScoreSource>;

// ── Limits ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Every number the contract promises, once. Routes, settings, the reference and the tests' boundaries read it here. A number outside
 * its range is refused, never bent to fit.
 */
export const limits = {
  // Pages and batches
  customerList: { pageSize: { min: 1, default: 10, max: 100 } },
  journey: { pageSize: { min: 1, default: 50, max: 100 }, offsetDefault: 0, maxOffset: 1_000_000 },
  customerExport: { pageSize: { min: 1, default: 500, max: 1_000 } },
  customerSearch: { pageSize: { min: 1, default: 20, max: 50 }, queryMinCharacters: 2 },
  customerImport: { maxRows: 1_000 },
  spend: { maxRows: 1_000 },
  linkTokens: { maxRows: 500, lifetimeDays: { min: 1, default: 90, max: 365 } },
  journeySummary: { maxEvents: 100, unitsPerGeneration: 1, defaultUnitsPerDay: 50 },
  personConversions: { newest: 50 },
  personIdentifiers: { most: 100 },
  campaigns: { pageSize: { min: 1, default: 10, max: 100 } },
  campaignTrend: { maxEntities: 10 },
  topPerformers: { pageSize: { min: 1, default: 10, max: 50 } },
  campaignConversions: { pageSize: { min: 1, default: 50, max: 200 } },
  adReferrals: { maxRows: 500 },
  urlTags: { maxAds: 25 },
  outcomeReplay: { pageSize: { min: 1, default: 100, max: 100 }, keptDays: 90 },

  // Values
  /** Also the platform comparison's own; the spec leaves the other routes' open. */
  dateRange: { maxDays: 366 },
  lookback: { days: { min: 1, default: 90, max: 365 } },
  budgetStep: { maxChangePercent: 50, floorMinorUnits: 100 },
  requestRef: { maxCharacters: 200 },
  subjectRef: { maxCharacters: 32 },

  // Connecting
  handoff: { lifeMinutes: 45, stateMinutes: 15, partwayReuseMinutes: 3, parkedTokenMinutes: 60 },

  // Running
  idempotency: { replayHours: 24 },
  ratePerMinute: {
    app: { standard: 300, elevated: 1_200, internal: 6_000 },
    apiKeyDefault: 300,
    /** POST /events, /customers and /spend have a bucket of their own, so that a backfill does not starve the reports. */
    ingest: 6_000,
  },
  piiAccessLog: { keptDays: 365 },

  /** Of capabilities that no route of this version offers. */
  reserved: {
    readEventsWindow: { maxDays: 90 },
    messagingWindow: { hours: 24, humanAgentDays: 7 },
    numberRegistration: { maxAttempts: 10, perHours: 72 },
    mediaMegabytes: { image: 5, video: 16, audio: 16, document: 100 },
    consent: { maxAgeHours: 24 },
  },
} as const;

export type AppRateTier = keyof typeof limits.ratePerMinute.app;
