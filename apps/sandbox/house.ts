import type { Consents } from './consents.ts';
import type { Route } from './route.ts';
import type { World } from './world.ts';

/** What the sandbox hands to each of its companies. */
export interface House {
  /** Where it listens, without a slash at the end. */
  readonly url: () => string;
  readonly now: () => Date;
  readonly world: World;
  readonly consents: Consents;
}

/** A simulated company: what it answers, and its truth for tests to compare with. */
export interface Company<Book> {
  readonly routes: readonly Route[];
  readonly book: Book;
}

/** Every app is registered as this one. */
export const sandboxClient = { id: 'sandbox-client', secret: 'sandbox-secret' } as const;
