import { buildApiKey, buildProfile, openKit, testVault } from '@tributary/testkit';
import { sql } from 'kysely';
import pg from 'pg';
import { expect, test } from 'vitest';
import { deleteTenant } from './delete-tenant.job.ts';

const kit = await openKit();

/** How many rows of all tables name one of the ids, whichever the column. */
async function rowsThatName(...ids: string[]): Promise<string[]> {
  const { host, pathname, password } = new URL(kit.database.ownerUrl);
  const admin = new pg.Client({ connectionString: `postgres://postgres:${password}@${host}${pathname}` });
  await admin.connect();
  try {
    const { rows: tables } = await admin.query(
      "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE 'kysely%'",
    );
    const found: string[] = [];
    for (const { tablename } of tables) {
      const { rows } = await admin.query(`SELECT 1 FROM "${tablename}" t WHERE t::text LIKE ANY ($1)`, [
        ids.map((id) => `%${id}%`),
      ]);
      if (rows.length > 0) found.push(tablename);
    }
    return found.sort();
  } finally {
    await admin.end();
  }
}

async function fill(profile: { id: string; workspaceId: string }): Promise<void> {
  await buildApiKey(kit.app, profile.id);
  await kit.app.behind({ profileId: profile.id }).transaction(async (tx) => {
    await sql`INSERT INTO outbox VALUES (gen_random_uuid(), ${profile.id}, 'recompute.completed', '{}', now())`.execute(
      tx,
    );
    const sealed = testVault.seal('{}', {
      table: 'idempotent_answers',
      column: 'body',
      row: '00',
      profileId: profile.id,
    });
    await sql`INSERT INTO idempotent_answers VALUES (${profile.id}, '\\x00', '\\x00', 200, ${sealed}, now())`.execute(
      tx,
    );
  });
}

const archive = (workspaceId: string, profileId?: string) =>
  kit.app.forWorkspace(workspaceId).transaction(async (tx) => {
    const profiles = tx
      .updateTable('profiles')
      .set({ archived_at: kit.clock.now() })
      .where('workspace_id', '=', workspaceId);
    await (profileId ? profiles.where('id', '=', profileId) : profiles).execute();
    if (!profileId)
      await tx.updateTable('workspaces').set({ archived_at: kit.clock.now() }).where('id', '=', workspaceId).execute();
  });

test('a deleted profile leaves no row anywhere, and its sibling loses none', async () => {
  const gone = await buildProfile(kit.app);
  const sibling = await buildProfile(kit.app, { workspaceId: gone.workspaceId });
  await fill(gone);
  await fill(sibling);
  const before = await rowsThatName(sibling.id);
  const elsewhere: string[] = [];
  await archive(gone.workspaceId, gone.id);
  const run = () =>
    deleteTenant(kit.app, { workspaceId: gone.workspaceId, profileId: gone.id }, async (id) => void elsewhere.push(id));
  await run();
  await run();
  expect(await rowsThatName(gone.id)).toEqual([]);
  expect(await rowsThatName(sibling.id)).toEqual(before);
  expect(elsewhere).toEqual([gone.id]);
});

test('a deleted workspace goes with all of its profiles', async () => {
  const one = await buildProfile(kit.app);
  const two = await buildProfile(kit.app, { workspaceId: one.workspaceId });
  await fill(one);
  await fill(two);
  await archive(one.workspaceId);
  await deleteTenant(kit.app, { workspaceId: one.workspaceId }, async () => {});
  expect(await rowsThatName(one.id, two.id, one.workspaceId)).toEqual([]);
});

test('what is not archived is not touched', async () => {
  const profile = await buildProfile(kit.app);
  await deleteTenant(kit.app, { workspaceId: profile.workspaceId, profileId: profile.id }, async () => {});
  expect(await rowsThatName(profile.id)).toContain('profiles');
});
