export { isAway, isContended, wasTooSlow } from './unavailable.ts';
export { type Cut, hasTables, restoreDump, settleRestored, takeCut } from './copy-database.ts';
export { dumpSchema, pgDump } from './dump.ts';
export {
  createPostgres,
  type Everywhere,
  enter,
  type Ledger,
  type Postgres,
  type Schema,
  type TransactionOptions,
  type Tx,
  type UnboundLedger,
  type Wall,
} from './ledger.ts';
export { type Hearing, listen } from './listen.ts';
export { changeLogin, retireLogin } from './logins.ts';
export type { LookUps } from './look-ups.ts';
export { compareMigrations, migrate, migrationsFingerprint } from './migrate.ts';
export { findMoveOf, moveWorkspace } from './move/move-workspace.ts';
export type { PersonTable, PersonTables } from './personal-data.ts';
export { type HeldLocks, isUnlocked } from './privacy-locks.ts';
export { backupRole, roles } from './roles.ts';
export { rolledBack } from './rolled-back.ts';
export { atEveryServer, atServer, connectionTo, loginOf, partsOf, withLogin } from './servers.ts';
export { findAnywhere, joinShards, onEachServer } from './shards.ts';
export type { Snapshot } from './snapshot.ts';
export { type Sweeper, sweepExpired, sweepOld } from './sweep.ts';
export {
  emptyTable,
  goWithTheTenant,
  profileTables,
  type TenantStores,
  type TenantTable,
  workspaceTables,
} from './tenant-tables.ts';
export { planUpgrade, type UpgradePlan } from './upgrade-plan.ts';
export type { Stop } from './walk.ts';
