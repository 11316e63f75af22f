/** What a failed call means for whoever made it; each provider sorts its own codes into these. */
export type Verdict =
  /** Only a new consent helps. */
  | 'reconnect'
  /** A person has to do something at the provider: a permission, a policy, a second factor. */
  | 'needs_action'
  /** Later it may work by itself. */
  | 'wait'
  /** This request will never be taken as it is. */
  | 'refused';

export interface FaultDetails {
  readonly verdict: Verdict;
  /** Its own code, for logs and tests: 190, RESOURCE_EXHAUSTED, invalid_grant. */
  readonly code: string;
  /** Its own words. They may name people, so they are shown to the profile and never logged. */
  readonly says: string;
  readonly retryAfterMs?: number | undefined;
  /** Whom a wait is for: a limit of the app stops all connections of the provider. */
  readonly reach?: 'connection' | 'app' | undefined;
  /** Whether the provider may have done what was asked, although its answer was lost. */
  readonly mayHaveHappened?: boolean | undefined;
}

export class ProviderFault extends Error {
  override readonly name = 'ProviderFault';
  readonly details: FaultDetails;

  constructor(details: FaultDetails) {
    super(`The provider answered ${details.code}: ${details.verdict}.`);
    this.details = details;
  }
}
