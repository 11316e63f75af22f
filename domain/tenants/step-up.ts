import type { RouteId } from '@tributary/contract';
import type { Context } from '@tributary/operations';

/** For what destroys data or widens access; the room of accounts, above this one, provides it. */
export interface StepUp {
  /** Refuses unless it is the password of the signed-in member. */
  readonly assertPassword: (password: string | undefined, route: RouteId, context: Context) => Promise<void>;
}
