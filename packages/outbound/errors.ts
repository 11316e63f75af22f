/** Why a target is refused. Callers store and compare these values: add new ones, but never change one. */
export type RefusalReason =
  | 'url_invalid'
  | 'scheme_not_allowed'
  | 'port_not_allowed'
  | 'credentials_in_url'
  | 'address_not_public';

const refusals: Record<RefusalReason, string> = {
  url_invalid: 'The URL cannot be read. Give an absolute one, like https://hooks.example.com/tributary.',
  scheme_not_allowed: 'The URL must begin with https://.',
  port_not_allowed: 'The URL names a port that is not allowed. Leave the port out to use 443.',
  credentials_in_url: 'The URL must not hold a user name or a password.',
  // One text for a missing and for an internal address: different texts would reveal which internal names exist.
  address_not_public: 'The host has no address on the public internet. Check its spelling and DNS records.',
};

/**
 * The target breaks a rule; nothing was sent. The message may be shown to the tenant and depends only on the reason: an address in it would
 * expose the operator's network.
 */
export class OutboundRefused extends Error {
  override readonly name = 'OutboundRefused';
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason) {
    super(refusals[reason]);
    this.reason = reason;
  }
}

/** Why a permitted request got no response. */
export type FailureReason = 'timeout' | 'unreachable' | 'tls_failed' | 'no_valid_response';

const failures: Record<FailureReason, string> = {
  timeout: 'The target did not answer in time.',
  unreachable: 'The target did not accept a connection.',
  tls_failed: 'No secure connection came about. Check that the certificate is valid for the host name and not expired.',
  no_valid_response: 'The target closed the connection without a complete, valid HTTP response.',
};

/** The target is permitted, but the network or the receiver failed. The message may be shown to the tenant; `cause` is for the logs. */
export class OutboundFailed extends Error {
  override readonly name = 'OutboundFailed';
  readonly reason: FailureReason;

  constructor(reason: FailureReason, cause?: unknown) {
    super(failures[reason], { cause });
    this.reason = reason;
  }
}
