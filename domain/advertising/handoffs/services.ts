import type { ConnectionServices } from '@tributary/domain/advertising/connections';
import type { WriteAudit } from '@tributary/operations';
import type { Postgres } from '@tributary/postgres';

/** The services that the handlers of this module need. */
export interface HandoffServices extends ConnectionServices {
  readonly baseUrl: string;
}

/** The services of the pages, which are used without a credential. */
export interface HandoffPageServices extends HandoffServices {
  readonly postgres: Postgres;
  readonly audit: WriteAudit;
  /** Whether cookies are for HTTPS only. */
  readonly isCookieSecure: boolean;
  readonly onError: (error: unknown) => void;
}
