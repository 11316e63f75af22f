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

/** What rooms need to clear their tables. */
export interface Erasing {
  /** Opens stored answers, and seals them again. */
  readonly vault: Vault;
}

/** What rooms need to open what they hold. */
export interface Searching {
  readonly app: Postgres;
  readonly stream: Pick<Stream, 'deadLetters'>;
  readonly opening: Opening;
  readonly vault: Vault;
}

/**
 * Everybody who holds people, in the order in which an erasure asks them. What a person did goes to the customer without a person first,
 * in the order in which every writer locks: outcomes, then links of browsers. The customers' own rows go last, because what still
 * refers to them would go with them. A test reads the columns of both engines and fails for a table that nobody here declares.
 */
export const holders: readonly HoldsPeople<Erasing, Searching>[] = [
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

/** The tables of ClickHouse with people, in the same order. */
export const clickhouseTables: PersonTables = Object.assign({}, ...holders.map(({ clickhouse }) => clickhouse));
