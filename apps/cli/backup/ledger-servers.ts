import type { Settings } from '@tributary/config';
import { atServer } from '@tributary/postgres';
import { homeShard } from '@tributary/vocabulary';

/** A server of the ledger, as those who copy it and put it back enter it. */
export interface LedgerServer {
  readonly name: string;
  readonly owner: string;
  readonly backup: string;
}

/** All of them, home first. */
export const serversOf = ({ databaseOwnerUrl, databaseBackupUrl, ledgerShards }: Settings): LedgerServer[] => [
  { name: homeShard, owner: databaseOwnerUrl, backup: databaseBackupUrl },
  ...[...ledgerShards].map(([name, server]) => ({
    name,
    owner: atServer(databaseOwnerUrl, server),
    backup: atServer(databaseBackupUrl, server),
  })),
];
