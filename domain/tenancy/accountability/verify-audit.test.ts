import { createProfileByOperator, createWorkspaceByOperator } from '@tributary/domain/tenancy/tenants/module.ts';
import type { AuditEntry } from '@tributary/operations';
import type { Ledger } from '@tributary/postgres';
import { buildProfile, openKit, operatorOf } from '@tributary/testkit';
import { sql } from 'kysely';
import pg from 'pg';
import { beforeEach, expect, test } from 'vitest';
import { appendEntry } from './store.ts';
import { verifyAudit } from './verify-audit.ts';

const kit = await openKit();
let workspaceId: string;

beforeEach(async () => {
  const operator = operatorOf(kit);
  workspaceId = await createWorkspaceByOperator(operator, { name: 'Acme', plan: 'scale' });
  const profile = { workspace_id: workspaceId, name: 'Shop' };
  await Promise.all(Array.from({ length: 20 }, () => createProfileByOperator(operator, profile)));
});

const verify = () => verifyAudit(kit.app.forWorkspace(workspaceId), { workspaceId });

/** Changes rows as a database superuser, whom the grants do not restrict. */
async function tamper(statement: string): Promise<void> {
  const { host, pathname, password } = new URL(kit.database.ownerUrl);
  const admin = new pg.Client({ connectionString: `postgres://postgres:${password}@${host}${pathname}` });
  await admin.connect();
  await admin.query(statement, [workspaceId]).finally(() => admin.end());
}

const entryIn = (log: AuditEntry['log']): AuditEntry => ({
  log,
  actor: { kind: 'operator', id: 'cli' },
  action: 'app.registered',
  target: 'app:1',
  result: 'done',
  detail: {},
  requestId: 'cli',
  at: kit.clock.now(),
});

test('concurrently written entries form one unbroken chain', async () => {
  expect(await verify()).toMatchObject({ entries: 21, brokenAt: undefined });
});

test.each([
  ['changed', "UPDATE audit_log SET target = 'profile:other' WHERE workspace_id = $1 AND sequence = 7", '7'],
  ['dropped', 'DELETE FROM audit_log WHERE workspace_id = $1 AND sequence = 7', '8'],
  ['moved', 'UPDATE audit_log SET sequence = 99 WHERE workspace_id = $1 AND sequence = 7', '8'],
])('detects an entry that was %s', async (_, statement, brokenAt) => {
  await tamper(statement);
  expect((await verify()).brokenAt).toBe(brokenAt);
});

test('an entry can only be written to the log of the workspace of its transaction', async () => {
  const own = await buildProfile(kit.app);
  const ledgers = [kit.app.forWorkspace(own.workspaceId), kit.app.forProfile(own.id)];
  const append = (ledger: Ledger, log: { workspaceId: string }) =>
    ledger.transaction((tx) => appendEntry(tx, entryIn(log)));
  for (const ledger of ledgers) await append(ledger, { workspaceId: own.workspaceId });
  for (const ledger of [...ledgers, kit.app.unbound])
    await expect(append(ledger, { workspaceId })).rejects.toMatchObject({ code: '42501' });
  expect(await verify()).toMatchObject({ entries: 21, brokenAt: undefined });
});

test('the installation log is a hash chain that the API role can neither read nor change', async () => {
  const append = () => kit.app.unbound.transaction((tx) => appendEntry(tx, entryIn('installation')));
  await Promise.all(Array.from({ length: 20 }, append));
  const whole = () => verifyAudit(kit.owner.unbound, 'installation');
  expect(await whole()).toMatchObject({ entries: 20, brokenAt: undefined });
  for (const statement of [sql`SELECT FROM installation_audit_log`, sql`DELETE FROM installation_audit_log`])
    await expect(kit.app.unbound.query(statement)).rejects.toThrow(/permission denied/);
  await tamper("UPDATE installation_audit_log SET target = 'app:2' WHERE sequence = 7 AND $1::uuid IS NOT NULL");
  expect((await whole()).brokenAt).toBe('7');
});
