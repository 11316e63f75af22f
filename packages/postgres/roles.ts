import type { ClientBase } from 'pg';

/**
 * Four roles. The owner holds the schema and migrates it. The app serves people and sees one profile at a time, because
 * row-level security binds a role that owns nothing. The system works the queues, whose rows hold ids only. The collector, which
 * anybody on the internet may talk to, finds tracking keys and nothing else.
 */
export const roles = {
  owner: 'tributary_owner',
  app: 'tributary_app',
  system: 'tributary_system',
  collector: 'tributary_collector',
} as const;

/** Run once by an administrator of the server; compose.yaml and `npm run engines` do. Safe to run again. */
export async function createRoles(admin: ClientBase, password: string): Promise<void> {
  for (const role of Object.values(roles)) {
    await admin.query(`
      DO $$ BEGIN
        CREATE ROLE ${role} LOGIN;
      EXCEPTION WHEN duplicate_object THEN NULL;
      END $$`);
    await admin.query(`ALTER ROLE ${role} LOGIN NOSUPERUSER NOBYPASSRLS PASSWORD '${password.replaceAll("'", "''")}'`);
  }
  // Each test file clones a database, which the owner must be allowed to do.
  await admin.query(`ALTER ROLE ${roles.owner} CREATEDB`);
}
