import type { PersonTables } from '@tributary/clickhouse';
import { personalData as adOperations } from '@tributary/domain/advertising/ad-operations';
import { personalData as connections } from '@tributary/domain/advertising/connections';
import { personalData as handoffs } from '@tributary/domain/advertising/handoffs';
import { personalData as customers, type PersonalData } from '@tributary/domain/commerce/customers';
import { personalData as outcomes } from '@tributary/domain/commerce/outcomes';
import { personalData as payments } from '@tributary/domain/commerce/payments';
import { personalData as attribution } from '@tributary/domain/measurement/attribution';
import { personalData as journeys } from '@tributary/domain/measurement/journeys';
import { personalData as webhooks } from '@tributary/domain/notifications/webhooks';
import { personalData as accountability } from '@tributary/domain/tenancy/accountability';
import { personalData as accounts } from '@tributary/domain/tenancy/accounts';
import { personalData as events } from '@tributary/domain/tenancy/events';
import { personalData as ingestion, type Opening } from '@tributary/domain/traffic/ingestion';
import { personalData as partners } from '@tributary/domain/traffic/partners';
import { personalData as tracking } from '@tributary/domain/traffic/tracking';
import { personalData as operations } from '@tributary/operations';
import type { Postgres } from '@tributary/postgres';
import type { Stream } from '@tributary/stream';
import { type Vault, personalData as vault } from '@tributary/vault';
import { personalData as erasures } from './personal-data.ts';

/** Services that modules need to clear their tables. */
export interface EraseServices {
  /** Decrypts stored responses and encrypts them again. */
  readonly vault: Vault;
}

/** Services that modules need to decrypt their data for the search. */
export interface SearchServices {
  readonly app: Postgres;
  readonly stream: Pick<Stream, 'deadLetters'>;
  readonly opening: Opening;
  readonly vault: Vault;
}

/**
 * All modules with personal data, in the order in which an erasure calls them. Events move to the shell customer first, in the lock order
 * of all writers: outcomes, then visitor links. Customer rows go last, because deleting them cascades to rows that still refer to them. A
 * test reads the columns of both databases and fails for a table with personal data that no module declares.
 */
export const personalDataModules: readonly PersonalData<EraseServices, SearchServices>[] = [
  outcomes,
  partners,
  payments,
  ingestion,
  connections,
  operations,
  journeys,
  attribution,
  events,
  webhooks,
  handoffs,
  customers,
  erasures,
  tracking,
  adOperations,
  accounts,
  accountability,
  vault,
];

/** ClickHouse tables with personal data, in the same order. */
export const clickhouseTables: PersonTables = Object.assign(
  {},
  ...personalDataModules.map(({ clickhouse }) => clickhouse),
);
