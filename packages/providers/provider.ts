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
import type { Books } from './books.ts';
import type { Account, Call } from './call.ts';

export type * from './call.ts';

/**
 * What an outside company offers and says, in our words. A provider knows no store, no profile and no clock but the one it is
 * given; what it throws is a `ProviderFault`. What it does not offer, it leaves out.
 */
export interface Provider<Credentials = unknown, Position = unknown> {
  readonly facts: Facts;
  /** What is kept sealed of a connection. */
  readonly credentials: z.ZodType<Credentials>;
  readonly connect?: Connect<Credentials>;
  readonly link?: Link<Credentials>;
  readonly sync?: Sync<Credentials, Position>;
  readonly pixels?: (account: Account<Credentials>, call: Call) => Promise<readonly Pixel[]>;
  readonly pages?: (account: Account<Credentials>, call: Call) => Promise<readonly Page[]>;
  readonly stages?: (account: Account<Credentials>, call: Call) => Promise<readonly Pipeline[]>;
  /** Puts our pixel into a store's pages, or brings the one that is there up to date. */
  readonly installPixel?: (
    account: Account<Credentials>,
    settings: Readonly<Record<string, string>>,
    call: Call,
  ) => Promise<{ readonly id: string }>;
  readonly act?: Act<Credentials>;
  readonly export?: Export<Credentials>;
  readonly receive?: Receive;
  readonly tells?: Tells<Credentials>;
  readonly books?: Books<Credentials>;
}

export interface Facts {
  readonly channel: Channel;
  /** As people know it: "Meta Ads". */
  readonly name: string;
  /** How often an hour it lets an ad set's budget be changed. */
  readonly budgetChangesAnHour?: number;
  /** It tells amounts without a currency: the profile's is assumed when it is connected, and kept in `details.currency`. */
  readonly assumesCurrency?: true;
  /** Permissions without which it may only be read. */
  readonly neededToWrite?: readonly string[];
}

export interface Connect<Credentials> {
  readonly usesPkce: boolean;
  authorizeUrl(request: {
    readonly redirectUri: string;
    readonly state: string;
    readonly codeChallenge?: string | undefined;
  }): string;
  /** What came back to the callback. */
  readCallback(query: Readonly<Record<string, string>>): { readonly code: string } | { readonly reason: HandoffReason };
  exchange(
    grant: { readonly code: string; readonly redirectUri: string; readonly codeVerifier?: string | undefined },
    call: Call,
  ): Promise<Credentials>;
  candidates(credentials: Credentials, call: Call): Promise<readonly Candidate<Credentials>[]>;
  /** When the access token has to be replaced; undefined: never. */
  refreshAt?(credentials: Credentials): Date | undefined;
  refresh?(credentials: Credentials, call: Call): Promise<Credentials>;
  revoke?(account: Account<Credentials>, call: Call): Promise<void>;
}

/** A way in without a consent page of the provider's own: through its widget on the caller's page, or by a key that a person pastes. */
export interface Link<Credentials> {
  /** The script of the widget, and the sources that a page must allow for it. */
  readonly widget?: { readonly scriptUrl: string; readonly sources: readonly string[] };
  /** What the widget is opened with. */
  start?(
    wish: { readonly country: string; readonly holderType: BankHolderType },
    call: Call,
  ): Promise<{ readonly widgetToken: string; readonly publicKey: string; readonly expiresAt: string | null }>;
  /** Whose accounts the widget's token or the key opens. */
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
  /** Where an account has a way in of its own; else the consent's. */
  readonly credentials?: Credentials;
}

/**
 * Reads on from a position, page by page. Each page holds what was said and the position after it; the two are stored together,
 * so a sync that is cut off goes on where it was. A position holds no token.
 */
export type Sync<Credentials, Position> = (
  account: Account<Credentials>,
  from: Position | null,
  call: Call,
) => AsyncIterable<SyncPage<Position>>;

export interface SyncPage<Position> {
  readonly said: readonly Said[];
  readonly position: Position;
  /** Of the whole, from 0 to 1, as far as the provider lets one know. */
  readonly progress?: number;
  /** Where its own signals ask for a breath before the next call. */
  readonly waitMs?: number;
}

export type Said = SaidEntity | SaidDelivery | SaidOutcome | SaidRefund | SaidSearchTerm | SaidSearchDays;

export interface SaidEntity {
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
  /** A decimal in major units, whatever the provider's own unit is. */
  readonly dailyBudget?: string;
  readonly learningStage?: string;
  readonly creative?: SaidCreative;
  /** Of an ad set or campaign: its ads are shown to whom and where it says. */
  readonly audience?: SaidAudience;
}

export interface SaidAudience {
  readonly warmth?: AudienceWarmth;
  /** The country, or `several`. */
  readonly geo?: string;
  readonly placement?: string;
}

export interface SaidCreative {
  readonly externalId: string;
  readonly title?: string;
  readonly body?: string;
  readonly thumbnailUrl?: string;
  readonly videoId?: string;
  readonly urlTags?: string;
  readonly callToAction?: string;
}

/** What an entity did on a day of the account's own time zone. Amounts are decimals in major units; what was not told is left out. */
export interface SaidDelivery {
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

export interface SaidOutcome {
  readonly kind: 'outcome';
  /** The provider's id of the thing: a charge, an order, a deal. A deal is one outcome of each type, and of those said in a page the last counts. */
  readonly externalId: string;
  /** Absent where a deal only stands in a stage: then the profile's mapping of `stage` says what it counts as, if anything. */
  readonly outcomeType?: ConversionType | DealEnd;
  readonly stage?: { readonly pipelineId: string; readonly stageId: string };
  readonly occurredAt: string;
  readonly value?: string;
  readonly currency?: string;
  readonly person: SaidPerson;
  readonly properties?: Readonly<Record<string, string>>;
  /** Payment providers that took the money: one that is connected tells of it itself, and what is said here is no second sale. */
  readonly takenBy?: readonly PaymentProvider[];
}

export interface SaidPerson {
  /** The provider's own id of the person. */
  readonly externalId?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly name?: string;
  readonly rut?: string;
}

/** Money that went back, or came again after a dispute was won (`isUndone`). */
export interface SaidRefund {
  readonly kind: 'refund';
  readonly externalId: string;
  readonly ofExternalId: string;
  readonly amount: string;
  readonly currency: string;
  readonly occurredAt: string;
  readonly isDispute: boolean;
  readonly isUndone?: boolean;
  /** As of the payment. */
  readonly takenBy?: readonly PaymentProvider[];
}

export interface SaidSearchTerm {
  readonly kind: 'search_term';
  /** Terms of one reading share it, and those of another have another. */
  readonly reading: string;
  readonly day: string;
  readonly query: string;
  readonly page: string;
  readonly clicks: number;
  readonly impressions: number;
  readonly position: string;
}

/** These days were told whole in this reading: what else is known of them is no longer so. */
export interface SaidSearchDays {
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
export interface Act<Credentials> {
  /** As it stands at the platform at this moment; undefined: it knows none of this id. */
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
  /** Gives the ad's links these tags, or a former creative back. Says which creative the ad had before, for an undo. */
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
  /** Null: this level has none of its own. */
  readonly dailyBudget: string | null;
  readonly leastDailyBudget?: string;
  readonly greatestDailyBudget?: string;
  /** Of a campaign: the ads that a pause would stop. */
  readonly activeAds?: number;
  /** Of a campaign: what it spent in the last seven whole days, together. */
  readonly recentSpend?: string;
  readonly campaignId?: string;
  /** Of an ad set or ad: its campaign's. */
  readonly campaignStatus?: string;
  readonly creative?: SaidCreative;
}

export interface Export<Credentials> {
  readonly mostEvents: number;
  /** Older ones are refused by the platform, with the whole batch. */
  oldestAt(event: ExportEvent, now: Date): Date;
  /** Why the platform would refuse the event as it is, and every other of its batch with it; undefined: it would not. */
  flawOf(event: ExportEvent, account: Account<Credentials>, now: Date): ExportFlaw | undefined;
  /** A copy with the same id within this time counts once. */
  readonly deduplicatesForMs: number;
  /** What would be sent, for a dry run too. */
  prepare(events: readonly ExportEvent[], dataset: string, account: Account<Credentials>): string;
  send(account: Account<Credentials>, dataset: string, prepared: string, call: Call): Promise<ExportAnswer>;
  /** How many ad sets deliver and learn from a dataset at this moment. */
  liveAdSets?(account: Account<Credentials>, dataset: string, call: Call): Promise<number>;
  /** Makes the ads that deliver anew on another dataset, and pauses the originals. Safe to ask twice. */
  swapDataset?(account: Account<Credentials>, from: string, to: string, call: Call): Promise<void>;
  /** Where the platform works it off later. */
  poll?(account: Account<Credentials>, ticket: string, call: Call): Promise<ExportAnswer>;
}

/** Its time is over or to come, nothing says whose it is, or a website's event lacks its page or browser. */
export type ExportFlaw = 'too_old' | 'in_future' | 'nobody_named' | 'no_source_url' | 'no_user_agent';

export type ExportAnswer =
  | { readonly state: 'accepted'; readonly warnings: readonly string[] }
  | { readonly state: 'processing'; readonly ticket: string }
  | { readonly state: 'rejected'; readonly says: string };

/** What a platform may be told of an outcome. Identifiers are in the clear here and hashed as the platform wants by `prepare`. */
export interface ExportEvent {
  readonly eventId: string;
  readonly eventName: string;
  readonly occurredAt: Date;
  readonly actionSource: string;
  readonly value?: string | undefined;
  readonly currency?: string | undefined;
  readonly sourceUrl?: string | undefined;
  /** Click ids by their name in a URL: fbclid, gclid, ctwa_clid. */
  readonly clickIds: Readonly<Record<string, string>>;
  /** When the ad was clicked, where that is known. */
  readonly clickedAt?: Date | undefined;
  /** Of the browser on whose page it happened. */
  readonly userAgent?: string | undefined;
  /** Absent where the profile lets nothing out that names a person. */
  readonly person?: SaidPerson & { readonly country?: string };
  readonly consent?: { readonly adUserData: boolean; readonly adPersonalization: boolean };
}

/** Webhooks of the provider, told over raw bytes. */
export interface Receive {
  verify(delivery: Received, now: Date): boolean;
  read(delivery: Received): readonly ReceivedNews[];
}

export interface Received {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

/**
 * Webhooks that an account signs with a secret of its own, which its connection keeps. What they tell is the thing itself: there may be
 * no token to ask with.
 */
export interface Tells<Credentials> {
  accountOf(delivery: Received): string | undefined;
  verify(delivery: Received, credentials: Credentials): boolean;
  /** Throws where a body is not what its topic promises. */
  read(delivery: Received): readonly Said[];
}

/** Of whose account it is; the object itself is read again before money is written. */
export interface ReceivedNews {
  readonly accountExternalId: string;
  readonly deliveryId: string;
  readonly about: 'changed' | 'disconnected';
}
