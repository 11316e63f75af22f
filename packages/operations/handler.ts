import type { AnswerOf, CredentialKind, Input, Role, Route, Scope } from '@tributary/contract';
import type { Ledger, Postgres, TenantScope, Tx } from '@tributary/postgres';
import type { AddToAudit, Answered } from './audit.ts';
import type { KeyToShow } from './customer-key.ts';

/**
 * The authenticated caller, as the credential allows at this moment. Never kept beyond the request, because the credential may be
 * revoked.
 */
export interface Caller {
  readonly kind: CredentialKind;
  /** The id of the key, token or session, for logs and limits. */
  readonly credentialId: string;
  readonly profileId?: string;
  readonly workspaceId?: string;
  readonly appId?: string;
  readonly userId?: string;
  readonly role?: Role;
  readonly scopes: ReadonlySet<Scope>;
  /** Whether the profile's attribution features are enabled. */
  readonly isEntitled: boolean;
  readonly isHealthcare: boolean;
  readonly requestsPerMinute: number;
  /** Whether that number was set for this credential explicitly: then it applies to all routes, including ingest. */
  readonly isRateSet?: boolean;
  /** The restrictions of a shared link: its operations and its days. */
  readonly confined?: { readonly operations: ReadonlySet<string>; readonly from: string; readonly to: string };
  /** Reads the credential again in a transaction that holds the privacy lock; undefined if it was revoked. */
  readonly recheck: (tx: Tx, now: Date) => Promise<Caller | undefined>;
}

/** The caller on a route of a profile or its customers: admission has ensured that the credential has a profile. */
export interface ProfileCaller extends Caller {
  readonly profileId: string;
  readonly workspaceId: string;
}

/** The caller on a route about its own account: admission has ensured that a member is signed in. */
export interface SignedInCaller extends Caller {
  readonly userId: string;
}

/** The caller type of a route, derived from its declaration; a route open to anonymous callers guarantees nothing. */
export type CallerOf<R extends Route> =
  AllowsAnonymous<R> extends true ? Caller : CallerByGrain<R['access']['grain'], R['path']>;

type AllowsAnonymous<R extends Route> =
  Extract<R['access']['credentials'][number], 'public' | 'client_secret'> extends never ? false : true;
type CallerByGrain<Grain, Path> = Grain extends 'account'
  ? SignedInCaller
  : Grain extends 'profile' | 'person'
    ? // A profile named in the path is not the credential's own.
      Path extends `${string}{profileId}${string}`
      ? Caller
      : ProfileCaller
    : Caller;

export type Servers = Pick<Postgres, 'home' | 'allShards' | 'shardOf'>;

/** What a handler may use besides its input. */
export interface Context<By extends Caller = Caller> {
  readonly requestId: string;
  readonly now: Date;
  readonly caller: By;
  /** Scoped to the caller's profile, or to its workspace on a workspace route. */
  readonly ledger: Ledger;
  /**
   * The only transaction that changes something. Its result is the answer, stored with the effect under the caller's
   * Idempotency-Key. The declared audit entry is written in the same transaction, or nothing is committed. It runs on the shard
   * of the tenant that the request names. `near` is a profile or workspace that the handler has found, on routes that store no
   * answers.
   */
  effect<A extends Answered>(work: (tx: Tx) => Promise<A>, near?: string): Promise<A>;
  /** Identifies the caller, its Idempotency-Key and its request, for handlers whose effect is not only in the ledger. */
  readonly requestKey: { readonly keyHash: Buffer; readonly fingerprint: Buffer } | undefined;
  /**
   * Whether the effect may share a transaction with those of other calls, without `effect`: no answer must be stored in it, and
   * the route writes no audit entry.
   */
  readonly canShareEffect: boolean;
  /** Adds data to the audit entry that the declaration cannot know. */
  readonly addToAudit: AddToAudit;
  /** Sent with the answer. Not stored under an Idempotency-Key, so it must not be essential for the caller. */
  setHeader(name: string, value: string): void;
  /** Records that the answer contains data of a customer, so that an erasure can clear its stored copy. */
  mentions(customerId: string): void;
  /**
   * Returns the caller's own key of a customer, or null if the caller may not see it. A key that the request did not contain is a
   * disclosure: the answer then passes the personal-data gate and is counted in the data access log, whatever the route.
   */
  showKey(key: KeyToShow): string | null;
  /** A ledger in another tenant scope, for a handler that has just verified its right to it. */
  behind(wall: TenantScope): Ledger;
  /** The ledger's servers, for data on other shards than the caller's. */
  readonly servers: Servers;
  /** The raw header, for the one route that reads a client id and secret from it. */
  readonly authorization: string | undefined;
  /** The raw header, for routes that replace the session. */
  readonly cookie: string | undefined;
  /** A hash of the client address, to tell clients apart. */
  readonly addressHash: string;
  /** Aborted when the client hangs up or the time limit is reached. */
  readonly signal: AbortSignal;
}

/** The context of every route about the credential's own profile. */
export type ProfileContext = Context<ProfileCaller>;

/** A route's handler: a function of input and context. `Services` are its external dependencies. */
export type Handles<R extends Route, Services = unknown> = (
  input: Input<R>,
  context: Context<CallerOf<R>> & Services,
) => Promise<AnswerOf<R>>;

/** Returns one of the declared answers. */
export function answer<const Status extends number, Body>(status: Status, body: Body): { status: Status; body: Body } {
  return { status, body };
}
