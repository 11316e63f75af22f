import type { Settings } from '@tributary/config';
import { atEveryServer } from '@tributary/postgres';

/** The connections with which backup and restore access a server of the ledger. */
export interface LedgerServer {
  readonly name: string;
  readonly owner: string;
  readonly backup: string;
}

/** All servers, home first. */
export function serversOf({ databaseOwnerUrl, databaseBackupUrl, ledgerShards }: Settings): LedgerServer[] {
  const backups = atEveryServer(databaseBackupUrl, ledgerShards);
  return [...atEveryServer(databaseOwnerUrl, ledgerShards)].map(([name, owner]) => ({
    name,
    owner,
    backup: backups.get(name) as string,
  }));
}
