import { homeShard } from '@tributary/vocabulary';
import { z } from 'zod';
import { ledgerAddress, ledgerShards, optional, setting, wholeNumber } from './setting.ts';

/** PostgreSQL: one role per kind of process, and further servers (shards). */
export const ledger = {
  databaseOwnerUrl: setting(
    'DATABASE_OWNER_URL',
    ledgerAddress,
    'PostgreSQL as the role that owns the schema. Only migrations use it. Each of these addresses may name several servers, one:5432,two:5432: new connections go to the one that takes writes.',
    { fallback: 'postgres://tributary_owner:local-only@127.0.0.1:15432/tributary', secret: true },
  ),
  databaseAppUrl: setting(
    'DATABASE_APP_URL',
    ledgerAddress,
    'PostgreSQL as the role that serves requests, bound by row-level security.',
    { fallback: 'postgres://tributary_app:local-only@127.0.0.1:15432/tributary', secret: true },
  ),
  databaseSystemUrl: setting('DATABASE_SYSTEM_URL', ledgerAddress, 'PostgreSQL as the role that works the queues.', {
    fallback: 'postgres://tributary_system:local-only@127.0.0.1:15432/tributary',
    secret: true,
  }),
  databaseCollectorUrl: setting(
    'DATABASE_COLLECTOR_URL',
    ledgerAddress,
    'PostgreSQL URL for the role of the internet-facing processes. The collector looks up tracking keys, and provider-webhooks looks up encrypted webhook secrets.',
    { fallback: 'postgres://tributary_collector:local-only@127.0.0.1:15432/tributary', secret: true },
  ),
  ledgerShards: setting(
    'LEDGER_SHARDS',
    ledgerShards,
    'Further PostgreSQL servers that hold workspaces, like "east=10.0.0.7:5432/tributary", with spaces between several. The roles and passwords are those of the addresses above; the server of those is the shard "home".',
    { fallback: '' },
  ),
  ledgerShard: setting(
    'LEDGER_SHARD',
    z.string().regex(/^[a-z][a-z0-9-]{0,30}$/, 'must be the name of a shard'),
    'Whose queues a worker works: each shard of the ledger has workers of its own.',
    { fallback: homeShard },
  ),
  databaseAdminUrl: optional(
    'DATABASE_ADMIN_URL',
    ledgerAddress,
    'URL of the home shard as a PostgreSQL administrator, with the same password on every server. Only "tributary workspace move" and "tributary database" use it.',
    { secret: true },
  ),
  databaseBackupUrl: setting(
    'DATABASE_BACKUP_URL',
    ledgerAddress,
    'PostgreSQL as the role that copies everything and changes nothing. Only "tributary backup" uses it.',
    { fallback: 'postgres://tributary_backup:local-only@127.0.0.1:15432/tributary', secret: true },
  ),
  databasePoolSize: setting(
    'DATABASE_POOL_SIZE',
    wholeNumber(1, 500),
    'Connections to PostgreSQL per process, and as many again while it takes snapshots. Statements are prepared: PgBouncer must be 1.21 or later, with max_prepared_statements set.',
    { fallback: '10' },
  ),
};
