/** The one way out of the process; the room that calls hands it in. A provider never calls `fetch`. */
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

/** What every call brings along. */
export interface Call {
  readonly send: Send;
  readonly now: Date;
  readonly signal: AbortSignal;
}

/** Whose data is read or changed: the outside account of a connection and the way in. */
export interface Account<Credentials> {
  readonly externalId: string;
  readonly credentials: Credentials;
  /** What was learned or asked when it was connected: time zone, currency, a manager's id. Nothing secret. */
  readonly details: Readonly<Record<string, string>>;
}
