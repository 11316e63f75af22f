import type { AnswerOf, CredentialKind, Input, Role, Route, Scope } from '@tributary/contract';
import type { Ledger, Postgres, Tx, Wall } from '@tributary/postgres';
import type { AddToAudit, Answered } from './audit.ts';
import type { KeyToShow } from './customer-key.ts';

/** Who asks, as the credential says at this moment. Never kept beyond the request: it may be revoked in the next one. */
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
  /** Somebody set that number for this credential: it holds on every route, those that take data in included. */
  readonly isRateSet?: boolean;
  /** Of a link to one report: what it may ask, and of which days. */
  readonly confined?: { readonly operations: ReadonlySet<string>; readonly from: string; readonly to: string };
  /** The same credential as it stands now, asked through a transaction that holds the privacy lock; undefined once it is dead. */
  readonly recheck: (tx: Tx, now: Date) => Promise<Caller | undefined>;
}

/** On a route of a profile or of its people, admission has made sure that the credential speaks for one. */
export interface ProfileCaller extends Caller {
  readonly profileId: string;
  readonly workspaceId: string;
}

/** On a route about a person's own account, that somebody is signed in. */
export interface SignedInCaller extends Caller {
  readonly userId: string;
}

/** Who can stand behind a call of the route, as its declaration says: of a route that takes guests nothing is sure. */
export type CallerOf<R extends Route> =
  TakesGuests<R> extends true ? Caller : CallerByGrain<R['access']['grain'], R['path']>;

type TakesGuests<R extends Route> =
  Extract<R['access']['credentials'][number], 'public' | 'client_secret'> extends never ? false : true;
type CallerByGrain<Grain, Path> = Grain extends 'account'
  ? SignedInCaller
  : Grain extends 'profile' | 'person'
    ? // A profile that stands in the path is not the credential's own.
      Path extends `${string}{profileId}${string}`
      ? Caller
      : ProfileCaller
    : Caller;

export type Servers = Pick<Postgres, 'home' | 'everywhere' | 'shardOf'>;

/** What a handler may use besides its input. */
export interface Context<By extends Caller = Caller> {
  readonly requestId: string;
  readonly now: Date;
  readonly caller: By;
  /** Behind the wall of the caller's profile, or of its workspace on a workspace route. */
  readonly ledger: Ledger;
  /**
   * The one transaction that changes something: what it returns is the answer, kept with the effect under the caller's
   * Idempotency-Key. The audit entry that the route declares is written in it, or nothing is committed. It runs on the server of what the
   * request names; `near` is a profile or workspace that the handler has found, on a route that keeps no answers.
   */
  effect<A extends Answered>(work: (tx: Tx) => Promise<A>, near?: string): Promise<A>;
  /** Of the caller and its Idempotency-Key, and of what it asks for under it: for a handler whose effect is not in the ledger alone. */
  readonly requestKey: { readonly keyHash: Buffer; readonly fingerprint: Buffer } | undefined;
  /**
   * Whether the effect may share a transaction with those of other calls, without `effect`: no answer has to be kept in it under an
   * Idempotency-Key, and the route leaves no audit entry.
   */
  readonly canShareEffect: boolean;
  /** Adds to the audit entry of the effect what the declaration cannot know. */
  readonly addToAudit: AddToAudit;
  /** Sent with the answer. Not kept under an Idempotency-Key, so never what the caller could not do without. */
  setHeader(name: string, value: string): void;
  /** Names a customer whose data the answer holds, so that an erasure can clear what is kept of it. */
  mentions(customerId: string): void;
  /**
   * What the caller may get of its own key of a customer: null unless it may. One that the request did not say itself is told, so the
   * answer passes the person gate and is counted in the access log, whatever the route.
   */
  showKey(key: KeyToShow): string | null;
  /** Behind another wall, for a handler that has just proven its right to it. */
  behind(wall: Wall): Ledger;
  /** The ledger's servers, for what is kept on another than the caller's, or on any of them. */
  readonly servers: Servers;
  /** The header as it came, for the one route that reads a client id and secret from it. */
  readonly authorization: string | undefined;
  /** The same, for those routes that replace the session. */
  readonly cookie: string | undefined;
  /** Where the call came from, hashed: enough to tell one place from another. */
  readonly addressHash: string;
  /** Aborted when the client has gone or the time is up. */
  readonly signal: AbortSignal;
}

/** The context of every route that is about the credential's own profile. */
export type ProfileContext = Context<ProfileCaller>;

/** A route's handler: a plain function of input and context. `Services` is what it needs from the outside. */
export type Handles<R extends Route, Services = unknown> = (
  input: Input<R>,
  context: Context<CallerOf<R>> & Services,
) => Promise<AnswerOf<R>>;

/** One of the declared answers. */
export function answer<const Status extends number, Body>(status: Status, body: Body): { status: Status; body: Body } {
  return { status, body };
}
