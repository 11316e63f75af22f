import type { Schema } from './ledger.ts';

/** Which personal data a PostgreSQL table holds, and what an erasure does with it. */
export interface PersonalDataTable {
  /**
   * An erasure deletes the rows, clears their personal columns, or renames the rows to a customer without a person. Hashed and sealed data
   * is kept on purpose. `nobody`: the table must not hold personal data. `not a customer`: the rows belong to people whom erasures do not
   * cover, or to none. The check after an erasure searches all tables except the last kind.
   */
  readonly erasure: 'deleted' | 'cleared' | 'renamed' | 'hashed' | 'sealed' | 'nobody' | 'not a customer';
  readonly words: string;
  /** The column that holds the owner of a row, if it is not `profile_id`. */
  readonly owner?: 'owner_id';
}

export type PersonalDataTables = { readonly [Table in keyof Schema]?: PersonalDataTable };
