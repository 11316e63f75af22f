import type { Schema } from './ledger.ts';

/** What a table of PostgreSQL holds of people, and what an erasure does with it. */
export interface PersonTable {
  /**
   * Rows are deleted, cleared of the person, or renamed to a customer without a person. Hashed and sealed is what stays of a person on
   * purpose; `nobody` is where none may be; `not a customer` is of people whom an erasure is not for, or of none at all. All but the
   * last are searched when an erasure is verified.
   */
  readonly erasure: 'deleted' | 'cleared' | 'renamed' | 'hashed' | 'sealed' | 'nobody' | 'not a customer';
  readonly words: string;
  /** The column that says whose a row is, where it is not `profile_id`. */
  readonly owner?: 'owner_id';
}

export type PersonTables = { readonly [Table in keyof Schema]?: PersonTable };
