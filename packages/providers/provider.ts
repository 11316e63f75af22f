import type {
  AudienceWarmth,
  BankHolderType,
  Channel,
  ConversionType,
  DealEnd,
  EntityLevel,
  HandoffReason,
  PaymentProvider,
} from '@tributary/vocabulary';
import type { z } from 'zod';
import type { AccountTotals } from './account-totals.ts';
import type { Account, Call } from './call.ts';

export type * from './call.ts';

/**
 * The interface of an integration. A provider accesses no store and no profile, uses only the clock of the call, and throws only
 * `ProviderFault`. Capabilities that it does not offer are left out.
 */
export interface Provider<Credentials = unknown, Position = unknown> {
  readonly facts: Facts;
  /** The schema of the credentials, which are stored encrypted. */
  readonly credentials: z.ZodType<Credentials>;
  readonly connect?: Connect<Credentials>;
  readonly link?: Link<Credentials>;
  readonly sync?: Sync<Credentials, Position>;
  readonly pixels?: (account: Account<Credentials>, call: Call) => Promise<readonly Pixel[]>;
  readonly pages?: (account: Account<Credentials>, call: Call) => Promise<readonly Page[]>;
  readonly stages?: (account: Account<Credentials>, call: Call) => Promise<readonly Pipeline[]>;
  /** Installs or updates our pixel in a store's pages. */
  readonly installPixel?: (
    account: Account<Credentials>,
    settings: Readonly<Record<string, string>>,
    call: Call,
  ) => Promise<{ readonly id: string }>;
  readonly act?: AdActions<Credentials>;
  readonly export?: Export<Credentials>;
  readonly receive?: Receive;
  readonly selfSignedWebhooks?: SelfSignedWebhooks<Credentials>;
  readonly books?: AccountTotals<Credentials>;
}

export interface Facts {
  readonly channel: Channel;
  /** The display name: "Meta Ads". */
  readonly name: string;
  /** How often per hour the budget of an ad set may be changed. */
  readonly budgetChangesAnHour?: number;
  /**
   * The provider reports amounts without a currency: the profile's currency is assumed when connecting and stored in
   * `details.currency`.
   */
  readonly assumesCurrency?: true;
  /** Permissions without which the connection is read-only. */
  readonly neededToWrite?: readonly string[];
}

export interface Connect<Credentials> {
  readonly usesPkce: boolean;
  authorizeUrl(request: {
    readonly redirectUri: string;
    readonly state: string;
    readonly codeChallenge?: string | undefined;
  }): string;
  /** Interprets the query of the OAuth callback. */
  readCallback(query: Readonly<Record<string, string>>): { readonly code: string } | { readonly reason: HandoffReason };
  exchange(
    grant: { readonly code: string; readonly redirectUri: string; readonly codeVerifier?: string | undefined },
    call: Call,
  ): Promise<Credentials>;
  candidates(credentials: Credentials, call: Call): Promise<readonly Candidate<Credentials>[]>;
  /** When the access token has to be refreshed; undefined: never. */
  refreshAt?(credentials: Credentials): Date | undefined;
  refresh?(credentials: Credentials, call: Call): Promise<Credentials>;
  revoke?(account: Account<Credentials>, call: Call): Promise<void>;
}

/** Connects without an OAuth consent page: through the provider's widget on our page, or with a key that the merchant enters. */
export interface Link<Credentials> {
  /** The script of the widget, and the sources that the page's Content-Security-Policy must allow for it. */
  readonly widget?: { readonly scriptUrl: string; readonly sources: readonly string[] };
  /** Creates the token that opens the widget. */
  start?(
    options: { readonly country: string; readonly holderType: BankHolderType },
    call: Call,
  ): Promise<{ readonly widgetToken: string; readonly publicKey: string; readonly expiresAt: string | null }>;
  /** Returns the accounts that the widget's token or the key gives access to. */
  finish(
    given: string,
    call: Call,
  ): Promise<readonly (Candidate<Credentials> & { readonly credentials: Credentials })[]>;
}

export interface Candidate<Credentials> {
  readonly externalId: string;
  readonly name: string;
  readonly granted: readonly string[];
  readonly details: Readonly<Record<string, string>>;
  /** Set if the account has its own credentials; otherwise those of the consent are used. */
  readonly credentials?: Credentials;
}

/**
 * Reads from a position, page by page. Each page contains records and the position after them. Both are stored together, so an
 * interrupted sync resumes there. A position contains no token.
 */
export type Sync<Credentials, Position> = (
  account: Account<Credentials>,
  from: Position | null,
  call: Call,
) => AsyncIterable<SyncPage<Position>>;

export interface SyncPage<Position> {
  readonly records: readonly ProviderRecord[];
  readonly position: Position;
  /** The share of the sync that is done, from 0 to 1, if the provider lets us estimate it. */
  readonly progress?: number;
  /** Set if the provider's rate-limit headers ask to wait before the next call. */
  readonly waitMs?: number;
}

export type ProviderRecord =
  | EntityRecord
  | DeliveryRecord
  | OutcomeRecord
  | RefundRecord
  | SearchTermRecord
  | SearchDaysRecord;

export interface EntityRecord {
  readonly kind: 'entity';
  readonly level: EntityLevel;
  readonly externalId: string;
  readonly campaignId?: string;
  readonly adSetId?: string;
  readonly name?: string;
  /** ACTIVE, PAUSED, ARCHIVED, DELETED. */
  readonly status?: string;
  readonly objective?: string;
  readonly format?: string;
  readonly currency?: string;
  /** A decimal in major units, regardless of the provider's own unit. */
  readonly dailyBudget?: string;
  readonly learningStage?: string;
  readonly creative?: AdCreative;
  /** Who sees the ads of an ad set or campaign, and where. */
  readonly audience?: AdAudience;
}

export interface AdAudience {
  readonly warmth?: AudienceWarmth;
  /** The country, or `several`. */
  readonly geo?: string;
  readonly placement?: string;
}

export interface AdCreative {
  readonly externalId: string;
  readonly title?: string;
  readonly body?: string;
  readonly thumbnailUrl?: string;
  readonly videoId?: string;
  readonly urlTags?: string;
  readonly callToAction?: string;
}

/**
 * The delivery of an entity on a day of the account's own time zone. Amounts are decimals in major units; unreported fields are
 * absent.
 */
export interface DeliveryRecord {
  readonly kind: 'delivery';
  readonly level: EntityLevel;
  readonly externalId: string;
  readonly campaignId?: string;
  readonly adSetId?: string;
  readonly day: string;
  readonly currency: string;
  readonly spend: string;
  readonly impressions: number;
  readonly clicks: number;
  readonly reach?: number;
  readonly conversions?: string;
  readonly conversionValue?: string;
  readonly videoViews3s?: number;
  readonly videoCompletions?: number;
  readonly messagingConversationsStarted?: number;
  readonly messagingFirstReplies?: number;
}

export interface OutcomeRecord {
  readonly kind: 'outcome';
  /**
   * The provider's id of the object: a charge, an order, a deal. A deal is one outcome per type; within a page the last one
   * counts.
   */
  readonly externalId: string;
  /** Absent if a deal only has a stage: the profile's mapping of `stage` then decides what it counts as, if anything. */
  readonly outcomeType?: ConversionType | DealEnd;
  readonly stage?: { readonly pipelineId: string; readonly stageId: string };
  readonly occurredAt: string;
  readonly value?: string;
  readonly currency?: string;
  readonly person: CustomerIdentity;
  readonly properties?: Readonly<Record<string, string>>;
  /**
   * The payment providers that processed the money. If one of them is connected, it reports the payment itself, and this record
   * is not a second sale.
   */
  readonly processedBy?: readonly PaymentProvider[];
}

export interface CustomerIdentity {
  /** The provider's own id of the customer. */
  readonly externalId?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly name?: string;
  readonly rut?: string;
}

/** Money that was returned, or came back after a dispute was won (`isUndone`). */
export interface RefundRecord {
  readonly kind: 'refund';
  readonly externalId: string;
  readonly ofExternalId: string;
  readonly amount: string;
  readonly currency: string;
  readonly occurredAt: string;
  readonly isDispute: boolean;
  readonly isUndone?: boolean;
  /** As for the payment. */
  readonly processedBy?: readonly PaymentProvider[];
}

export interface SearchTermRecord {
  readonly kind: 'search_term';
  /** The same for all terms of one reading; other readings have another. */
  readonly reading: string;
  readonly day: string;
  readonly query: string;
  readonly page: string;
  readonly clicks: number;
  readonly impressions: number;
  readonly position: string;
}

/** All terms of these days were reported in this reading; stored terms of other readings are obsolete. */
export interface SearchDaysRecord {
  readonly kind: 'search_days';
  readonly since: string;
  readonly until: string;
  readonly reading: string;
}

export interface Pixel {
  readonly id: string;
  readonly name: string | null;
  readonly createdAt: string | null;
  readonly lastFiredAt: string | null;
  readonly isUnavailable: boolean | null;
  readonly ownerBusiness: { readonly id: string; readonly name: string | null } | null;
}

export interface Page {
  readonly id: string;
  readonly name: string;
}

export interface Pipeline {
  readonly id: string;
  readonly name: string;
  readonly stages: readonly { readonly id: string; readonly name: string; readonly position: number }[];
}

/** Changes at the platform. Amounts are decimals in major units of the account's currency. */
export interface AdActions<Credentials> {
  /** Reads the current state at the platform; undefined if the id is unknown there. */
  read(
    account: Account<Credentials>,
    entity: { readonly level: EntityLevel; readonly externalId: string },
    call: Call,
  ): Promise<LiveEntity | undefined>;
  setStatus(
    account: Account<Credentials>,
    entity: { readonly level: EntityLevel; readonly externalId: string },
    status: 'ACTIVE' | 'PAUSED',
    call: Call,
  ): Promise<void>;
  setDailyBudget?(
    account: Account<Credentials>,
    entity: { readonly level: EntityLevel; readonly externalId: string },
    amount: string,
    call: Call,
  ): Promise<void>;
  /** Sets the URL tags of an ad, or restores a former creative. Returns the creative that the ad had before, for an undo. */
  setUrlTags?(
    account: Account<Credentials>,
    adExternalId: string,
    to: { readonly urlTags: string } | { readonly creativeId: string },
    call: Call,
  ): Promise<{ readonly creativeId: string }>;
}

export interface LiveEntity {
  readonly externalId: string;
  readonly name: string;
  /** ACTIVE, PAUSED, ARCHIVED, DELETED. */
  readonly status: string;
  readonly currency: string;
  /** Null: this level has no budget of its own. */
  readonly dailyBudget: string | null;
  readonly leastDailyBudget?: string;
  readonly greatestDailyBudget?: string;
  /** For a campaign: the number of ads that a pause would stop. */
  readonly activeAds?: number;
  /** For a campaign: the total spend of the last seven full days. */
  readonly recentSpend?: string;
  readonly campaignId?: string;
  /** For an ad set or ad: the status of its campaign. */
  readonly campaignStatus?: string;
  readonly creative?: AdCreative;
}

export interface Export<Credentials> {
  readonly maxEvents: number;
  /** The oldest accepted time; the platform rejects older events with their whole batch. */
  oldestAt(event: ExportEvent, now: Date): Date;
  /** Why the platform would reject the event, and its whole batch with it; undefined if it would not. */
  findFlaw(event: ExportEvent, account: Account<Credentials>, now: Date): ExportFlaw | undefined;
  /** Events with the same id within this time count once. */
  readonly deduplicatesForMs: number;
  /** The request body, also for a dry run. */
  prepare(events: readonly ExportEvent[], dataset: string, account: Account<Credentials>): string;
  send(account: Account<Credentials>, dataset: string, prepared: string, call: Call): Promise<ExportAnswer>;
  /** How many ad sets currently deliver and optimise on a dataset. */
  liveAdSets?(account: Account<Credentials>, dataset: string, call: Call): Promise<number>;
  /** Recreates the active ads on another dataset and pauses the originals. Idempotent. */
  swapDataset?(account: Account<Credentials>, from: string, to: string, call: Call): Promise<void>;
  /** For platforms that process a request asynchronously. */
  poll?(account: Account<Credentials>, ticket: string, call: Call): Promise<ExportAnswer>;
}

/** The event is too old, in the future, has no identifier, or is a website event without page or browser. */
export type ExportFlaw = 'too_old' | 'in_future' | 'nobody_named' | 'no_source_url' | 'no_user_agent';

export type ExportAnswer =
  | { readonly state: 'accepted'; readonly warnings: readonly string[] }
  | { readonly state: 'processing'; readonly ticket: string }
  | { readonly state: 'rejected'; readonly says: string };

/**
 * The data of an outcome that a platform may receive. Identifiers are plain text here; `prepare` hashes them as the platform
 * requires.
 */
export interface ExportEvent {
  readonly eventId: string;
  readonly eventName: string;
  readonly occurredAt: Date;
  readonly actionSource: string;
  readonly value?: string | undefined;
  readonly currency?: string | undefined;
  readonly sourceUrl?: string | undefined;
  /** Click ids by their URL parameter: fbclid, gclid, ctwa_clid. */
  readonly clickIds: Readonly<Record<string, string>>;
  /** When the ad was clicked, if known. */
  readonly clickedAt?: Date | undefined;
  /** The browser in which the event happened. */
  readonly userAgent?: string | undefined;
  /** Absent if the profile's privacy mode forbids exporting personal data. */
  readonly person?: CustomerIdentity & { readonly country?: string };
  readonly consent?: { readonly adUserData: boolean; readonly adPersonalization: boolean };
}

/** Webhooks of the provider, verified over the raw bytes. */
export interface Receive {
  verify(delivery: WebhookDelivery, now: Date): boolean;
  read(delivery: WebhookDelivery): readonly WebhookNotice[];
}

export interface WebhookDelivery {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

/**
 * Webhooks signed with a secret of the account, stored with its connection. They contain the records themselves, because there
 * may be no token to fetch them with.
 */
export interface SelfSignedWebhooks<Credentials> {
  accountOf(delivery: WebhookDelivery): string | undefined;
  verify(delivery: WebhookDelivery, credentials: Credentials): boolean;
  /** Throws if the body does not match its topic. */
  read(delivery: WebhookDelivery): readonly ProviderRecord[];
}

/** The account that changed; the objects themselves are fetched again before money is written. */
export interface WebhookNotice {
  readonly accountExternalId: string;
  readonly deliveryId: string;
  readonly about: 'changed' | 'disconnected';
}
