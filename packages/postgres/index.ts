export { type Cut, hasTables, resetRestored, restoreDump, takeCut } from './copy-database.ts';
export { dumpSchema, pgDump } from './dump.ts';
export {
  type AllShards,
  createPostgres,
  type Ledger,
  type Postgres,
  type Schema,
  switchScope,
  type TenantScope,
  type TransactionOptions,
  type Tx,
  type UnboundLedger,
} from './ledger.ts';
export { type ListenOptions, listen } from './listen.ts';
export { changeLogin, retireLogin } from './logins.ts';
export type { LookUps } from './look-ups.ts';
export { compareMigrations, migrate, migrationsFingerprint } from './migrate.ts';
export { findSourceServer, moveWorkspace } from './move/move-workspace.ts';
export type { PersonalDataTable, PersonalDataTables } from './personal-data-tables.ts';
export { isUnlocked, type PrivacyLockHandle } from './privacy-locks.ts';
export { backupRole, roles } from './roles.ts';
export { rolledBack } from './rolled-back.ts';
export { atEveryServer, atServer, connectionTo, loginOf, partsOf, withLogin } from './servers.ts';
export { findOnAnyShard, joinShards, runPerServer } from './shards.ts';
export type { Snapshot } from './snapshot.ts';
export { type Sweeper, sweepExpired, sweepOld } from './sweep.ts';
export {
  deletedWithTenant,
  emptyTable,
  profileTables,
  type TenantStores,
  type TenantTable,
  workspaceTables,
} from './tenant-tables.ts';
export { isContended, isUnavailable, wasTooSlow } from './unavailable.ts';
export { planUpgrade, type UpgradePlan } from './upgrade-plan.ts';
export type { WalkItem } from './walk.ts';
