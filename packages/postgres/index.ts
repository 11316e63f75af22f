export { dumpSchema } from './dump.ts';
export { createPostgres, type Ledger, type Postgres, type Schema, type TransactionOptions, type Tx } from './ledger.ts';
export { migrate, migrationsFingerprint } from './migrate.ts';
export { announce, type OutboxEvent } from './outbox.ts';
export { roles } from './roles.ts';
export { sequenceBatch, startSequencer } from './sequencer.ts';
