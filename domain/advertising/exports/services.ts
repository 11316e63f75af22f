import type { ConnectionServices } from '@tributary/domain/advertising/connections';
import type { PersonalDataGate } from '@tributary/operations';
import type { Postgres } from '@tributary/postgres';

export interface ExportServices extends ConnectionServices {
  readonly baseUrl: string;
}

/** Services of the export worker. */
export interface ExportStores extends ConnectionServices {
  readonly app: Postgres;
  /** The personal-data gate, which every request with customer data goes through. */
  readonly gate: PersonalDataGate;
  readonly now: () => Date;
}
