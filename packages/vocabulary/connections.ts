import { limits } from './limits.ts';
import { namesOf } from './names-of.ts';

interface ChannelEntry {
  readonly kind: 'ads' | 'search' | 'crm' | 'payments' | 'store' | 'messaging';
  /**
   * How a connection comes about: through a hand-off that a person finishes, or through routes of its own (a store, for one, can
   * only be installed from the store's side).
   */
  readonly connect: 'handoff' | 'own_routes';
}

/** A connection's `channel`. */
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

/** Who tells of deals and the stages they stand in. */
export type CrmChannel = ChannelThat<{ kind: 'crm' }>;
export const crmChannels = channelNames.filter((name): name is CrmChannel => channels[name].kind === 'crm');

/** What is missing until deals count as they should. */
export const stageNextSteps = ['connect', 'reconnect', 'map_stages'] as const;
export type StageNextStep = (typeof stageNextSteps)[number];

/** Who reports payments. `cardpay` has no connection: its payments are posted to us. */
export type PaymentProvider = ChannelThat<{ kind: 'payments' }> | 'cardpay';
export const paymentProviders: readonly PaymentProvider[] = [
  ...channelNames.filter((name): name is ChannelThat<{ kind: 'payments' }> => channels[name].kind === 'payments'),
  'cardpay',
];

/** Who an outcome.recorded may come from. A store tells what was paid in it. */
export type OutcomeProvider = ChannelThat<{ kind: 'crm' | 'store' }> | PaymentProvider;
export const outcomeProviders: readonly OutcomeProvider[] = [
  ...crmChannels,
  ...paymentProviders,
  ...channelNames.filter((name): name is ChannelThat<{ kind: 'store' }> => channels[name].kind === 'store'),
];

export const isOutcomeProvider = (name: string): name is OutcomeProvider =>
  (outcomeProviders as readonly string[]).includes(name);

/** Who told of an outcome: the business itself by `POST /events`, a file or its website, or a provider that it has connected. */
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

/** `status` on the way back to the caller's page. */
export const bounceStatuses = ['success', 'pending_selection', 'failed', 'cancelled'] as const;
export type BounceStatus = (typeof bounceStatuses)[number];

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

/** In which languages what is read by people comes. */
export const languages = ['en', 'es'] as const;
export type Language = (typeof languages)[number];

/** Where banks can be linked, by ISO 3166 in small letters. */
export const bankLinkCountries = ['cl', 'mx'] as const;

/** Whose bank account it is. */
export const bankHolderTypes = ['individual', 'business'] as const;
export type BankHolderType = (typeof bankHolderTypes)[number];
