import type { RateBucket } from '@tributary/vocabulary';

/** An address for browsers that is not a route of the API: it returns a page or a redirect. */
export interface PageEndpoint {
  readonly method: 'GET' | 'POST';
  /** With `:name` for each part that varies. */
  readonly path: string;
  /** The rate limit. Endpoints that check secrets or write rows have a low one, endpoints open to the public the lowest. */
  readonly allowance: Exclude<RateBucket, 'standard' | 'ingest'> | 'registration';
  readonly maxBytes: number;
  /**
   * Webhooks of providers can be large and arrive unauthenticated: they have their own memory budget, and rejections are counted.
   */
  readonly sender?: 'provider';
  readonly handle: (request: Request, visit: PageVisit) => Promise<Response>;
}

export interface PageVisit {
  readonly params: Readonly<Record<string, string>>;
  /** A hash of the client address, to tell clients apart. */
  readonly addressHash: string;
  readonly requestId: string;
  readonly now: Date;
}
