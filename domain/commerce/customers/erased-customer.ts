import type { PersonTables as PeopleInClickHouse } from '@tributary/clickhouse';
import type { PersonalDataTables as PeopleInPostgres, Tx } from '@tributary/postgres';
import type { Identifier } from '@tributary/rules';
import type { FindNamingErased } from './mentions.ts';

/** The customers of an erasure, and the customer that takes over their anonymous rows. */
export interface ErasedPerson {
  readonly profileId: string;
  /** The customer and all customers merged into it. */
  readonly customerIds: readonly string[];
  /** A customer without personal data. It receives the rows that must still count in reports. */
  readonly shellId: string;
  readonly at: Date;
}

/** An erased customer with all identifiers and visitors, as passed to each module with personal data. */
export interface ErasedCustomer extends ErasedPerson {
  readonly identifiers: readonly Identifier[];
  readonly visitorIds: readonly string[];
}

/** The number of cleared rows by table. */
export type Cleared = Readonly<Record<string, number>>;

/**
 * Declares where a module stores personal data. Each module exports one as `personalData`; domain/privacy/erasures/registry.ts lists them. Erasures,
 * the scan for remains and the test that no table is missing use only these declarations.
 */
export interface PersonalData<Erasing = unknown, Searching = unknown> {
  readonly postgres?: PeopleInPostgres;
  /** Changed after the transaction, for all customers that are due at once. */
  readonly clickhouse?: PeopleInClickHouse;
  /** Clears the module's PostgreSQL tables in the transaction of the erasure. */
  readonly erase?: (tx: Tx, person: ErasedCustomer, services: Erasing) => Promise<Cleared>;
  /**
   * Clears free-form content that mentions erased customers, after the transaction and for all customers of a profile that are due at once.
   * Content that cannot be decrypted must be skipped: it reveals nothing and must not block the erasure.
   */
  readonly forget?: (
    profileId: string,
    services: Searching,
    findNaming: FindNamingErased,
    signal: AbortSignal,
  ) => Promise<Cleared>;
  /** Encrypted content that only this module can read, by its name on the certificate. */
  readonly opened?: Readonly<Record<string, (profileId: string, stores: Searching) => AsyncIterable<unknown>>>;
}
