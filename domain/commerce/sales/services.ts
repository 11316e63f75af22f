import type { Tx } from '@tributary/postgres';

export interface SaleServices {
  /**
   * Names of connected accounts as members see them. Injected, because the connections module may not be imported from
   * here.
   */
  readonly findAccountNames: (
    tx: Tx,
    profileId: string,
    connectionIds: readonly string[],
  ) => Promise<ReadonlyMap<string, string>>;
}
