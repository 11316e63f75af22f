import type { Tx } from '@tributary/postgres';

export interface SaleServices {
  /** Names of the accounts that connections read, as members see them. Connections are a room above. */
  readonly findAccountNames: (
    tx: Tx,
    profileId: string,
    connectionIds: readonly string[],
  ) => Promise<ReadonlyMap<string, string>>;
}
