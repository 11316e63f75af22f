import type { RouteId } from '@tributary/contract';
import type { Context } from '@tributary/operations';

/** Re-authentication before an operation that destroys data or widens access. Provided by the accounts module. */
export interface StepUp {
  /** Refuses unless `password` is the password of the signed-in member. */
  readonly assertPassword: (password: string | undefined, route: RouteId, context: Context) => Promise<void>;
}
