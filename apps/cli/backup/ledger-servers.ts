import type { Settings } from '@tributary/config';
import { atEveryServer } from '@tributary/postgres';

/** A server of the ledger, as those who copy it and put it back enter it. */
export interface LedgerServer {
  readonly name: string;
  readonly owner: string;
  readonly backup: string;
}

/** All of them, home first. */
export function serversOf({ databaseOwnerUrl, databaseBackupUrl, ledgerShards }: Settings): LedgerServer[] {
  const backups = atEveryServer(databaseBackupUrl, ledgerShards);
  return [...atEveryServer(databaseOwnerUrl, ledgerShards)].map(([name, owner]) => ({
    name,
    owner,
    backup: backups.get(name) as string,
  }));
}
