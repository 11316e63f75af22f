import type { PersonTables as PeopleInClickHouse } from '@tributary/clickhouse';
import type { PersonTables as PeopleInPostgres, Tx } from '@tributary/postgres';
import type { Identifier } from '@tributary/rules';
import type { FindNamingErased } from './named-in.ts';

/** Whose rows go where in an erasure. */
export interface ErasedPerson {
  readonly profileId: string;
  /** The customer, and everybody who was merged into it. */
  readonly customerIds: readonly string[];
  /** The customer without a person to whom goes what must still count. */
  readonly shellId: string;
  readonly at: Date;
}

/** The same with all that the person is known by, as each room that holds people is told. */
export interface KnownPerson extends ErasedPerson {
  readonly identifiers: readonly Identifier[];
  readonly visitorIds: readonly string[];
}

/** How many rows were cleared, by table. */
export type Cleared = Readonly<Record<string, number>>;

/**
 * What a room holds of people, exported by its door as `holdsPeople` and listed in domain/erasures/registry.ts. An erasure, the search
 * after it and the test that no table is forgotten all read this and nothing else.
 */
export interface HoldsPeople<Erasing = unknown, Searching = unknown> {
  readonly postgres?: PeopleInPostgres;
  /** Changed after the transaction, all people that are due at once. */
  readonly clickhouse?: PeopleInClickHouse;
  /** Clears the room's tables of PostgreSQL in the transaction of the erasure. */
  readonly erase?: (tx: Tx, person: KnownPerson, services: Erasing) => Promise<Cleared>;
  /**
   * Clears texts that name somebody who was erased, wherever in them, after the transaction and for all of a profile who are due at once.
   * What cannot be opened says nothing to anybody, and must stop nobody.
   */
  readonly forget?: (
    profileId: string,
    services: Searching,
    findNaming: FindNamingErased,
    signal: AbortSignal,
  ) => Promise<Cleared>;
  /** What only the room can open, by its name on the certificate. */
  readonly opened?: Readonly<Record<string, (profileId: string, stores: Searching) => AsyncIterable<unknown>>>;
}
