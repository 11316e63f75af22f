import type { ConnectionServices } from '@tributary/domain/connections';
import type { PersonGate } from '@tributary/operations';
import type { Postgres } from '@tributary/postgres';

export interface ExportServices extends ConnectionServices {
  readonly baseUrl: string;
}

/** What a worker tells platforms with. */
export interface ExportStores extends ConnectionServices {
  readonly app: Postgres;
  /** The one way out for what names people. */
  readonly gate: PersonGate;
  readonly now: () => Date;
}
