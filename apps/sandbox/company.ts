import type { Consents } from './consents.ts';
import type { Route } from './route.ts';
import type { World } from './world.ts';

/** The dependencies of each simulated company. */
export interface CompanyDeps {
  /** The sandbox's URL, without a trailing slash. */
  readonly url: () => string;
  readonly now: () => Date;
  readonly world: World;
  readonly consents: Consents;
}

/** A simulated company: its routes, and its true state for tests to compare with. */
export interface Company<Book> {
  readonly routes: readonly Route[];
  readonly book: Book;
}

/** The credentials of every app. */
export const sandboxClient = { id: 'sandbox-client', secret: 'sandbox-secret' } as const;
