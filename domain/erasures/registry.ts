import type { PersonTables } from '@tributary/clickhouse';
import { holdsPeople as accountability } from '@tributary/domain/accountability';
import { holdsPeople as accounts } from '@tributary/domain/accounts';
import { holdsPeople as adOperations } from '@tributary/domain/ad-operations';
import { holdsPeople as attribution } from '@tributary/domain/attribution';
import { holdsPeople as connections } from '@tributary/domain/connections';
import { holdsPeople as customers, type HoldsPeople } from '@tributary/domain/customers';
import { holdsPeople as events } from '@tributary/domain/events';
import { holdsPeople as handoffs } from '@tributary/domain/handoffs';
import { holdsPeople as ingestion, type Opening } from '@tributary/domain/ingestion';
import { holdsPeople as journeys } from '@tributary/domain/journeys';
import { holdsPeople as outcomes } from '@tributary/domain/outcomes';
import { holdsPeople as partners } from '@tributary/domain/partners';
import { holdsPeople as payments } from '@tributary/domain/payments';
import { holdsPeople as tracking } from '@tributary/domain/tracking';
import { holdsPeople as webhooks } from '@tributary/domain/webhooks';
import { holdsPeople as operations } from '@tributary/operations';
import type { Postgres } from '@tributary/postgres';
import type { Stream } from '@tributary/stream';
import { type Vault, holdsPeople as vault } from '@tributary/vault';
import { holdsPeople as erasures } from './holds-people.ts';

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
export const personalDataModules: readonly HoldsPeople<EraseServices, SearchServices>[] = [
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
