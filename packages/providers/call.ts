/** The only way to send requests; the calling module passes it in. A provider never calls `fetch`. */
export type Send = (request: ProviderRequest) => Promise<ProviderAnswer>;

export interface ProviderRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly maxResponseBytes?: number;
}

export interface ProviderAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

/** The context of every call. */
export interface Call {
  readonly send: Send;
  readonly now: Date;
  readonly signal: AbortSignal;
}

/** The provider account of a connection, with its credentials. */
export interface Account<Credentials> {
  readonly externalId: string;
  readonly credentials: Credentials;
  /** Non-secret data from connecting: time zone, currency, the manager's id. */
  readonly details: Readonly<Record<string, string>>;
}
