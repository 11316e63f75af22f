import type { ConnectionServices } from '@tributary/domain/connections';
import type { ProfileContext } from '@tributary/operations';
import type { Postgres } from '@tributary/postgres';

/** What the handlers of this room need from the outside. */
export interface AdServices extends ConnectionServices {
  readonly baseUrl: string;
  /** How long an ad platform may take for a change while somebody waits. */
  readonly adPatienceMs: number;
  /** The time by now; a request's `now` is when it came. */
  readonly clock: () => Date;
}

export type AdContext = ProfileContext & AdServices;

/** What a worker looks actions up with. */
export interface AdStores extends ConnectionServices {
  readonly app: Postgres;
  readonly now: () => Date;
}
