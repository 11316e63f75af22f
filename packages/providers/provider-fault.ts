/** The consequence of a failed call for the caller; each provider maps its own error codes to these. */
export type Verdict =
  /** Only a new consent helps. */
  | 'reconnect'
  /** A user has to act at the provider: a permission, a policy, a second factor. */
  | 'needs_action'
  /** A later retry may succeed. */
  | 'wait'
  /** This request will never be accepted unchanged. */
  | 'refused';

export interface FaultDetails {
  readonly verdict: Verdict;
  /** The provider's own code, for logs and tests: 190, RESOURCE_EXHAUSTED, invalid_grant. */
  readonly code: string;
  /** The provider's own message. It may contain personal data, so it is shown to the profile and never logged. */
  readonly says: string;
  readonly retryAfterMs?: number | undefined;
  /** The scope of a wait: a limit of the app stops all connections of the provider. */
  readonly reach?: 'connection' | 'app' | undefined;
  /** Whether the provider may have carried out the request although its response was lost. */
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
