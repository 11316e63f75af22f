import { auditEntries, buildMember, openTest, operatorOf, testPassword } from '@tributary/testkit';
import { expect, test } from 'vitest';
import {
  archiveProfileByOperator,
  archiveWorkspaceByOperator,
  createProfileByOperator,
  createWorkspaceByOperator,
} from './module.ts';

const { kit, api } = await openTest();

const open = () => createWorkspaceByOperator(operatorOf(kit), { name: 'Acme', plan: 'free' });
const readEntries = async (workspaceId: string) =>
  (await auditEntries(kit, { workspaceId })).map(({ actor_kind, action, target }) => [actor_kind, action, target]);
const readDeletions = async (workspaceId: string) =>
  (await auditEntries(kit, 'installation'))
    .filter(({ target }) => target === `workspace:${workspaceId}`)
    .map(({ actor_kind, action }) => [actor_kind, action]);

test('changes by the operator write the same audit entries as requests', async () => {
  const operator = operatorOf(kit);
  const workspaceId = await open();
  const profileId = await createProfileByOperator(operator, { workspace_id: workspaceId, name: 'Shop' });
  expect(await archiveProfileByOperator(operator, profileId)).toBe(workspaceId);
  expect(await readEntries(workspaceId)).toEqual([
    ['operator', 'workspace.created', `workspace:${workspaceId}`],
    ['operator', 'profile.created', `profile:${profileId}`],
    ['operator', 'profile.deleted', `profile:${profileId}`],
  ]);
});

test('a profile whose deletion was interrupted can be deleted again', async () => {
  const operator = operatorOf(kit);
  const workspaceId = await open();
  const profileId = await createProfileByOperator(operator, { workspace_id: workspaceId, name: 'Shop' });
  await archiveProfileByOperator(operator, profileId);
  expect(await archiveProfileByOperator(operator, profileId)).toBe(workspaceId);
});

test('the deletion of a workspace is recorded in the installation log', async () => {
  const [byOperator, byOwner] = [await open(), await open()];
  await archiveWorkspaceByOperator(operatorOf(kit), byOperator);
  const owner = await buildMember(kit.app, byOwner);
  const { statusCode } = await api.fastify.inject({
    method: 'DELETE',
    url: `/api/v1/workspaces/${byOwner}`,
    headers: { ...owner.headers(), 'content-type': 'application/json' },
    payload: { current_password: testPassword },
  });
  expect(statusCode).toBe(200);
  expect(await readDeletions(byOperator)).toEqual([['operator', 'workspace.deleted']]);
  expect(await readDeletions(byOwner)).toEqual([['user', 'workspace.deleted']]);
});

test('keeps the history of a profile’s time zone and currency', async () => {
  const profileId = await createProfileByOperator(operatorOf(kit), { workspace_id: await open(), name: 'Shop' });
  await kit.app.forProfile(profileId).transaction(async (tx) => {
    await tx.updateTable('profiles').set({ name: 'Shoes' }).execute();
    await tx.updateTable('profiles').set({ time_zone: 'America/Santiago' }).execute();
    await tx.updateTable('profiles').set({ reporting_currency: 'CLP' }).execute();
  });
  const rows = await kit.app
    .forProfile(profileId)
    .transaction((tx) => tx.selectFrom('profile_settings_history').selectAll().orderBy('replaced_at').execute());
  expect(rows.map(({ time_zone, reporting_currency }) => [time_zone, reporting_currency])).toEqual([
    ['UTC', 'USD'],
    ['America/Santiago', 'USD'],
  ]);
});

test('operator input is validated like a request', async () => {
  const operator = operatorOf(kit);
  const workspaceId = await open();
  const create = (more: object) =>
    createProfileByOperator(operator, { workspace_id: workspaceId, name: 'Shop', ...more });
  await expect(create({ time_zone: 'Nowhere/Else' })).rejects.toThrow(/"time_zone"/);
  await expect(create({ reporting_currency: 'pesos' })).rejects.toThrow(/"reporting_currency"/);
  await expect(create({ reporting_currency: 'AAA' })).rejects.toThrow(/AAA is no currency/);
  for (const name of ['One', 'Two', 'Three']) await create({ name });
  await expect(create({})).rejects.toThrow(/3 active profiles/);
  await expect(archiveWorkspaceByOperator(operator, '01a00000-0000-7000-8000-000000000000')).rejects.toThrow(
    /no such workspace/,
  );
});
