import { type Settings, WrongSettings } from '@tributary/config';
import { atEveryServer } from '@tributary/postgres';

/** The administrator's URL of every server of the ledger, by shard name. */
export function adminUrlsOf({ databaseAdminUrl, ledgerShards }: Settings): Map<string, string> {
  if (!databaseAdminUrl)
    throw new WrongSettings([
      'DATABASE_ADMIN_URL must be set: the address of the home shard as an administrator of PostgreSQL. The other servers must know this administrator by the same password.',
    ]);
  return atEveryServer(databaseAdminUrl, ledgerShards);
}
