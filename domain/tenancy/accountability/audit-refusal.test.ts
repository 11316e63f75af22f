import type { Scope } from '@tributary/contract';
import { buildApiKey, buildProfile, openTest } from '@tributary/testkit';
import { describe, expect, test } from 'vitest';
import { verifyAudit } from './verify-audit.ts';

const { kit, api } = await openTest();

async function createCaller(scopes: readonly Scope[]) {
  const profile = await buildProfile(kit.app);
  const { id, secret } = await buildApiKey(kit.app, profile.id, { scopes });
  return { ...profile, keyId: id, headers: { authorization: `Bearer ${secret}` } };
}
const post = (headers: object, url: string, payload: object) =>
  api.fastify.inject({ method: 'POST', url, headers: { ...headers }, payload });
const readLog = (workspaceId: string) =>
  kit.app
    .forWorkspace(workspaceId)
    .transaction((tx) =>
      tx
        .selectFrom('audit_log')
        .select(['actor_kind', 'actor_id', 'action', 'result', 'target', 'detail'])
        .orderBy('sequence')
        .execute(),
    );

describe('audit entries of refused requests', () => {
  test('are written before the response, without the request body', async () => {
    const { keyId, workspaceId, headers } = await createCaller(['campaigns:read']);
    const answer = await post(headers, '/api/v1/events', {
      event_name: 'x',
      user_traits: { email: 'eva@example.test' },
    });
    expect(answer.statusCode).toBe(403);
    const entries = await readLog(workspaceId);
    expect(entries).toEqual([
      {
        actor_kind: 'api_key',
        actor_id: keyId,
        action: 'createEvent',
        result: 'refused',
        target: '/api/v1/events',
        detail: { code: 'insufficient_scope' },
      },
    ]);
    await expect(verifyAudit(kit.app.forWorkspace(workspaceId), { workspaceId })).resolves.toMatchObject({
      entries: 1,
    });
  });

  test('are written once a minute per route', async () => {
    const { workspaceId, headers } = await createCaller(['campaigns:read']);
    for (let index = 0; index < 20; index += 1) await post(headers, '/api/v1/events', { event_name: 'x' });
    await post(headers, '/api/v1/goals/definitions', {});
    const entries = await readLog(workspaceId);
    expect(entries.map(({ action }) => action)).toEqual(['createEvent', 'createGoalDefinition']);
  });

  test('are not written for refused reads or invalid requests', async () => {
    const { workspaceId, headers } = await createCaller(['attribution:write']);
    const read = await api.fastify.inject({ method: 'GET', url: '/api/v1/customers/search?q=eva', headers });
    expect(read.statusCode).toBe(403);
    expect((await post(headers, '/api/v1/events', {})).statusCode).toBe(422);
    expect(await readLog(workspaceId)).toEqual([]);
  });
});
