import type { RateBucket } from '@tributary/vocabulary';

/** An address of ours that browsers come to, and that is no route of the API: what it answers is a page or the way to one. */
export interface PageEndpoint {
  readonly method: 'GET' | 'POST';
  /** With `:name` for each part that varies. */
  readonly path: string;
  /** What tries secrets or writes rows is limited tightly, what anybody may write most of all. */
  readonly allowance: Exclude<RateBucket, 'standard' | 'ingest'> | 'registration';
  readonly maxBytes: number;
  /** Providers sign large bodies without being signed in: they have memory of their own, and refusals are counted. */
  readonly sender?: 'provider';
  readonly handle: (request: Request, visit: PageVisit) => Promise<Response>;
}

export interface PageVisit {
  readonly params: Readonly<Record<string, string>>;
  /** Where it came from, hashed: enough to tell one place from another. */
  readonly addressHash: string;
  readonly requestId: string;
  readonly now: Date;
}
