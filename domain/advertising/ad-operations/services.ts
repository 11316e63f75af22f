import type { ConnectionServices } from '@tributary/domain/advertising/connections';
import type { ProfileContext } from '@tributary/operations';
import type { Postgres } from '@tributary/postgres';

/** External services that the handlers of this module need. */
export interface AdServices extends ConnectionServices {
  readonly baseUrl: string;
  /** How long an ad platform may take for a change during a request. */
  readonly adPatienceMs: number;
  /** The current time; a request's `now` is its time of arrival. */
  readonly clock: () => Date;
}

export type AdContext = ProfileContext & AdServices;

/** Services that the worker needs to look up actions. */
export interface AdStores extends ConnectionServices {
  readonly app: Postgres;
  readonly now: () => Date;
}
