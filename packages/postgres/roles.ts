import type { ClientBase } from 'pg';

/**
 * Four roles. The owner holds the schema and migrates it. The app role serves requests and sees one profile at a time, because row-level
 * security binds a role that owns nothing. The system role processes the queues, whose rows hold ids only. The collector role, for
 * processes that anyone on the internet can reach, finds tracking keys and sealed webhook secrets, and nothing else.
 */
export const roles = {
  owner: 'tributary_owner',
  app: 'tributary_app',
  system: 'tributary_system',
  collector: 'tributary_collector',
} as const;

/** Reads all data for backups and writes nothing: the only role that bypasses row-level security. No serving process has its password. */
export const backupRole = 'tributary_backup';

/** An administrator of the server runs it once; compose.yaml and `npm run engines` do so. It can be run again. */
export async function createRoles(admin: ClientBase, password: string): Promise<void> {
  const quoted = `'${password.replaceAll("'", "''")}'`;
  for (const role of [...Object.values(roles), backupRole]) {
    await admin.query(`
      DO $$ BEGIN
        CREATE ROLE ${role} LOGIN;
      EXCEPTION WHEN duplicate_object THEN NULL;
      END $$`);
    const rlsOption = role === backupRole ? 'BYPASSRLS' : 'NOBYPASSRLS';
    await admin.query(`ALTER ROLE ${role} LOGIN NOSUPERUSER ${rlsOption} PASSWORD ${quoted}`);
  }
  await admin.query(`GRANT pg_read_all_data TO ${backupRole}`);
  // Each test file clones a database, which requires CREATEDB.
  await admin.query(`ALTER ROLE ${roles.owner} CREATEDB`);
}
