import { createProfileByOperator, createWorkspaceByOperator } from '@tributary/domain/credentials/room.ts';
import { openKit } from '@tributary/testkit';
import pg from 'pg';
import { beforeEach, expect, test } from 'vitest';
import { verifyAudit } from './verify-audit.ts';

const kit = await openKit();
let workspaceId: string;

beforeEach(async () => {
  const now = kit.clock.now();
  workspaceId = await createWorkspaceByOperator(
    kit.app,
    { name: 'Acme', plan: 'scale', isHealthcareAgency: false },
    now,
  );
  const profile = { workspaceId, name: 'Shop', privacyMode: 'standard', timeZone: 'UTC', reportingCurrency: 'USD' };
  await Promise.all(Array.from({ length: 20 }, () => createProfileByOperator(kit.app, profile, now)));
});

const verify = () => verifyAudit(kit.app.forWorkspace(workspaceId), workspaceId);

/** Somebody with the keys to the database itself. */
async function tamper(statement: string): Promise<void> {
  const { host, pathname } = new URL(kit.database.ownerUrl);
  const admin = new pg.Client({ connectionString: `postgres://postgres:local-only@${host}${pathname}` });
  await admin.connect();
  await admin.query(statement, [workspaceId]).finally(() => admin.end());
}

test('entries written at once form one unbroken chain', async () => {
  expect(await verify()).toMatchObject({ entries: 21, brokenAt: undefined });
});

test.each([
  ['changed', "UPDATE audit_log SET target = 'profile:other' WHERE workspace_id = $1 AND sequence = 7", '7'],
  ['dropped', 'DELETE FROM audit_log WHERE workspace_id = $1 AND sequence = 7', '8'],
  ['moved', 'UPDATE audit_log SET sequence = 99 WHERE workspace_id = $1 AND sequence = 7', '8'],
])('an entry that was %s shows', async (_, statement, brokenAt) => {
  await tamper(statement);
  expect((await verify()).brokenAt).toBe(brokenAt);
});
