import type { ConnectionServices } from '@tributary/domain/connections';
import type { WriteAudit } from '@tributary/operations';
import type { Postgres } from '@tributary/postgres';

/** What the handlers of this room need from the outside. */
export interface HandoffServices extends ConnectionServices {
  readonly baseUrl: string;
}

/** What the pages need, behind which no credential stands. */
export interface HandoffPageServices extends HandoffServices {
  readonly postgres: Postgres;
  readonly audit: WriteAudit;
  /** Whether cookies are for HTTPS only. */
  readonly isCookieSecure: boolean;
  readonly onError: (error: unknown) => void;
}
