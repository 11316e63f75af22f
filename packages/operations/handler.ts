import type { AnswerOf, CredentialKind, Input, Role, Route, Scope } from '@tributary/contract';
import type { Ledger, Tx, Wall } from '@tributary/postgres';

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
  /** The same credential as it stands now, asked through a transaction that holds the privacy lock; undefined once it is dead. */
  readonly recheck: (tx: Tx, now: Date) => Promise<Caller | undefined>;
}

/** What a handler may use besides its input. */
export interface Context {
  readonly requestId: string;
  readonly now: Date;
  readonly caller: Caller;
  /** Behind the wall of the caller's profile, or of its workspace on a workspace route. */
  readonly ledger: Ledger;
  /** The one transaction that changes something: what it returns is the answer, kept with the effect under the caller's Idempotency-Key. */
  effect<A>(work: (tx: Tx) => Promise<A>): Promise<A>;
  /** Sent with the answer. Not kept under an Idempotency-Key, so never what the caller could not do without. */
  setHeader(name: string, value: string): void;
  /** Names a customer whose data the answer holds, so that an erasure can clear what is kept of it. */
  mentions(customerId: string): void;
  /** Behind another wall, for a handler that has just proven its right to it. */
  behind(wall: Wall): Ledger;
  /** The header as it came, for the one route that reads a client id and secret from it. */
  readonly authorization: string | undefined;
  /** Aborted when the client has gone or the time is up. */
  readonly signal: AbortSignal;
}

/** A route's handler: a plain function of input and context. `Services` is what it needs from the outside. */
export type Handles<R extends Route, Services = unknown> = (
  input: Input<R>,
  context: Context & Services,
) => Promise<AnswerOf<R>>;

/** One of the declared answers. */
export function answer<const Status extends number, Body>(status: Status, body: Body): { status: Status; body: Body } {
  return { status, body };
}
