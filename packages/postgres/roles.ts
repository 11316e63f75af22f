import type { ClientBase } from 'pg';

/**
 * Four roles. The owner holds the schema and migrates it. The app serves people and sees one profile at a time, because
 * row-level security binds a role that owns nothing. The system works the queues, whose rows hold ids only. The collector's role,
 * for internet-facing processes, can only look up tracking keys and encrypted webhook secrets.
 */
export const roles = {
  owner: 'tributary_owner',
  app: 'tributary_app',
  system: 'tributary_system',
  collector: 'tributary_collector',
} as const;

/** Copies all that there is, and changes nothing: the one role that sees past the walls. No process that serves has its password. */
export const backupRole = 'tributary_backup';

/** Run once by an administrator of the server; compose.yaml and `npm run engines` do. Safe to run again. */
export async function createRoles(admin: ClientBase, password: string): Promise<void> {
  const quoted = `'${password.replaceAll("'", "''")}'`;
  for (const role of [...Object.values(roles), backupRole]) {
    await admin.query(`
      DO $$ BEGIN
        CREATE ROLE ${role} LOGIN;
      EXCEPTION WHEN duplicate_object THEN NULL;
      END $$`);
    const walls = role === backupRole ? 'BYPASSRLS' : 'NOBYPASSRLS';
    await admin.query(`ALTER ROLE ${role} LOGIN NOSUPERUSER ${walls} PASSWORD ${quoted}`);
  }
  await admin.query(`GRANT pg_read_all_data TO ${backupRole}`);
  // Each test file clones a database, which the owner must be allowed to do.
  await admin.query(`ALTER ROLE ${roles.owner} CREATEDB`);
}
