import type { Settings } from '@tributary/config';
import { createPostgres, type Postgres, roles } from '@tributary/postgres';
import { sql } from 'kysely';
import { type Finding, ok, wrong } from './finding.ts';
import { ledgerAddresses } from './ledger-addresses.ts';

interface RoleRow {
  readonly version: number;
  readonly is_super: boolean;
  readonly bypasses: boolean;
  /** Seconds between the server's clock and ours. */
  readonly skew: number;
  readonly migrations: number;
  readonly is_read_only: boolean;
}

export async function examinePostgres(settings: Settings): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [role, url] of [
    [roles.owner, settings.databaseOwnerUrl],
    [roles.app, settings.databaseAppUrl],
    [roles.system, settings.databaseSystemUrl],
    [roles.collector, settings.databaseCollectorUrl],
  ] as const) {
    for (const [suffix, address] of ledgerAddresses(settings, url)) {
      const postgres = createPostgres({ url: address, poolSize: 1 });
      try {
        const { rows } = await postgres.unbound.query(
          sql<RoleRow>`
          SELECT current_setting('server_version_num')::int AS version, r.rolsuper AS is_super, r.rolbypassrls AS bypasses,
            abs(extract(epoch FROM clock_timestamp()) - ${Date.now() / 1_000}::float8)::float8 AS skew,
            (SELECT count(*) FROM pg_tables WHERE tablename = 'event_log')::int AS migrations,
            current_setting('transaction_read_only')::bool AS is_read_only
          FROM pg_roles r WHERE r.rolname = current_user`,
        );
        findings.push(judgeRole(`postgres${suffix}`, role, rows[0]));
        if (role === roles.owner) findings.push(...(await examineMoves(`postgres${suffix}`, postgres)));
      } finally {
        await postgres.close();
      }
    }
  }
  return findings;
}

/** A running move retains some WAL too; only more than this is worth a warning. */
const maxRetainedBytes = 1 << 30;

/** An interrupted move leaves a replication slot that keeps the server from removing WAL, until the disk is full. */
export async function examineMoves(what: string, { unbound }: Postgres, most = maxRetainedBytes): Promise<Finding[]> {
  const { rows } = await unbound.query(sql<{ slot: string; bytes: string }>`
    SELECT slot_name AS slot, pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn) AS bytes FROM pg_replication_slots
    WHERE database = current_database() AND starts_with(slot_name, 'tributary_move_')
      AND NOT pg_is_in_recovery() AND pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn) > ${most}`);
  return rows.map(({ slot, bytes }) =>
    wrong(
      what,
      `a move of a workspace keeps ${Math.round(Number(bytes) / 2 ** 20)} MiB of its log`,
      `If none is under way, run "tributary workspace move" again to its end, or SELECT pg_drop_replication_slot('${slot}') as an administrator.`,
    ),
  );
}

function judgeRole(what: string, role: string, row: RoleRow | undefined): Finding {
  if (!row) return wrong(what, `${role} is unknown`, 'Create the roles (deploy/postgres-roles.sql).');
  if (row.version < 150_000) return wrong(what, `version ${row.version}`, 'Use PostgreSQL 15 or newer.');
  if (row.is_super || row.bypasses)
    return wrong(what, `${role} may pass the walls between profiles`, `ALTER ROLE ${role} NOSUPERUSER NOBYPASSRLS.`);
  if (row.skew > 5)
    return wrong(what, `its clock is ${Math.round(row.skew)} s off ours`, 'Let both machines keep time with NTP.');
  if (row.migrations === 0) return wrong(what, 'the schema is missing', 'Run "tributary migrate".');
  if (row.is_read_only)
    return wrong(
      what,
      `${role} may only read`,
      'A failover under way ends by itself. If it stays: to which server does the address point, and is default_transaction_read_only set?',
    );
  return ok(what, `${role}, version ${Math.floor(row.version / 10_000)}, walls hold, clock agrees`);
}
