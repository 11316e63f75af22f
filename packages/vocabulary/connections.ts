import { limits } from './limits.ts';
import { namesOf } from './names-of.ts';

interface ChannelEntry {
  readonly kind: 'ads' | 'search' | 'crm' | 'payments' | 'store' | 'messaging';
  /**
   * How a connection is created: by a hand-off that a person completes, or by routes of its own (a store, for one,
   * can only be installed from the store's side).
   */
  readonly connect: 'handoff' | 'own_routes';
}

/** The values of a connection's `channel`. */
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
} as const satisfies Record<string, ChannelEntry>;

type Channels = typeof channels;
export type Channel = keyof Channels;
export const channelNames = namesOf(channels);

type ChannelThat<Trait> = { [Name in Channel]: Channels[Name] extends Trait ? Name : never }[Channel];

export type HandoffProvider = ChannelThat<{ connect: 'handoff' }>;
export const handoffProviders = channelNames.filter(
  (name): name is HandoffProvider => channels[name].connect === 'handoff',
);

/** Channels that report deals and their pipeline stages. */
export type CrmChannel = ChannelThat<{ kind: 'crm' }>;
export const crmChannels = channelNames.filter((name): name is CrmChannel => channels[name].kind === 'crm');

/** What is missing until deals count as intended. */
export const stageNextSteps = ['connect', 'reconnect', 'map_stages'] as const;
export type StageNextStep = (typeof stageNextSteps)[number];

/** Channels that report payments. `cardpay` has no connection: its payments are posted to the API. */
export type PaymentProvider = ChannelThat<{ kind: 'payments' }> | 'cardpay';
export const paymentProviders: readonly PaymentProvider[] = [
  ...channelNames.filter((name): name is ChannelThat<{ kind: 'payments' }> => channels[name].kind === 'payments'),
  'cardpay',
];

/** The providers that an outcome.recorded may come from. A store reports payments made in it. */
export type OutcomeProvider = ChannelThat<{ kind: 'crm' | 'store' }> | PaymentProvider;
export const outcomeProviders: readonly OutcomeProvider[] = [
  ...crmChannels,
  ...paymentProviders,
  ...channelNames.filter((name): name is ChannelThat<{ kind: 'store' }> => channels[name].kind === 'store'),
];

export const isOutcomeProvider = (name: string): name is OutcomeProvider =>
  (outcomeProviders as readonly string[]).includes(name);

/** Who reported an outcome: the business by `POST /events`, by a file or by its website, or a connected provider. */
export const outcomeSources = ['api', 'import', 'browser', ...outcomeProviders] as const;
export type OutcomeSource = 'api' | 'import' | 'browser' | OutcomeProvider;

export const connectionStatuses = [
  'pending',
  'connected',
  'needs_action',
  'reconnect_required',
  'disconnected',
] as const;
export type ConnectionStatus = (typeof connectionStatuses)[number];

export const syncStates = ['idle', 'queued', 'running', 'failed'] as const;
export type SyncState = (typeof syncStates)[number];

export const handoffStatuses = ['pending', 'completed', 'failed', 'cancelled'] as const;
export type HandoffStatus = (typeof handoffStatuses)[number];

/** Values of `status` in the redirect back to the caller's page. */
export const bounceStatuses = ['success', 'pending_selection', 'failed', 'cancelled'] as const;
export type BounceStatus = (typeof bounceStatuses)[number];

interface HandoffReasonEntry {
  readonly status: 'failed' | 'cancelled';
  /**
   * `bounce`: the hand-off stays open, so the reason appears in the redirect only. `read`: there is no page to
   * redirect to, so it appears in API reads only.
   */
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
  state_expired: {
    status: 'failed',
    seenOn: 'both',
    meaning: `The consent screen stood open for over ${limits.handoff.stateMinutes} minutes.`,
  },
  state_invalid: {
    status: 'failed',
    seenOn: 'bounce',
    meaning: 'The person came back in another browser, or the link was changed. Stay in one browser.',
  },
  handoff_expired: {
    status: 'failed',
    seenOn: 'both',
    meaning: `Its ${limits.handoff.lifeMinutes} minutes are over. Mint a new one.`,
  },
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

/** The languages of texts for end users. */
export const languages = ['en', 'es'] as const;
export type Language = (typeof languages)[number];

/** Countries where banks can be linked, as ISO 3166 codes in lower case. */
export const bankLinkCountries = ['cl', 'mx'] as const;

/** The kind of bank account holder. */
export const bankHolderTypes = ['individual', 'business'] as const;
export type BankHolderType = (typeof bankHolderTypes)[number];
