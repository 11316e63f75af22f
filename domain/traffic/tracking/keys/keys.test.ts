import { buildApiKey, buildProfile, openTest } from '@tributary/testkit';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';

const { kit, api } = await openTest();
let profileId: string;
let headers: Record<string, string>;
beforeEach(async () => {
  profileId = (await buildProfile(kit.app)).id;
  headers = { ...(await buildApiKey(kit.app, profileId, { scopes: ['attribution:write'] })).headers };
});

const url = '/api/v1/tracking/keys';
const issue = () => api.fastify.inject({ method: 'POST', url, headers });
const list = async () => (await api.fastify.inject({ url, headers })).json().data as { id: string; key: string }[];
const revoke = (id: string) => api.fastify.inject({ method: 'DELETE', url: `${url}/${id}`, headers });

describe('a tracking key', () => {
  test('[track-001] [track-003] is issued once, in the format of the snippet, and listed', async () => {
    const answer = await issue();
    expect(answer.statusCode).toBe(201);
    expect(answer.json()).toEqual({
      data: {
        id: expect.any(String),
        key: expect.stringMatching(/^trk_[0-9A-Za-z]{22}$/),
        created_at: kit.clock.now().toISOString(),
      },
      meta: { profile_id: profileId },
    });
    expect(await list()).toEqual([answer.json().data]);
  });

  test('[track-002] a second request returns the same key', async () => {
    const first = await issue();
    const second = await issue();
    expect(second.statusCode).toBe(200);
    expect(second.json()).toEqual(first.json());
  });

  test('[track-002] sixteen concurrent requests return one key', async () => {
    const answers = await Promise.all(Array.from({ length: 16 }, issue));
    expect(new Set(answers.map((answer) => answer.json().data.key)).size).toBe(1);
    expect(answers.map((answer) => answer.statusCode).sort()).toEqual([...Array(15).fill(200), 201]);
    const { rows } = await kit.app
      .forProfile(profileId)
      .transaction((tx) => sql`SELECT FROM tracking_keys WHERE profile_id = ${profileId}`.execute(tx));
    expect(rows).toHaveLength(1);
  });

  test('[track-004] [track-005] a revoked key is not listed, collectors do not find it, and a new one can be issued', async () => {
    const { id, key } = (await issue()).json().data;
    const answer = await revoke(id);
    expect(answer.json().data).toEqual({ id, deleted: true });
    expect(await list()).toEqual([]);
    const { rows } = await kit.app.unbound.query(sql`SELECT * FROM find_tracking_keys(${[key]})`);
    expect(rows).toEqual([]);
    expect((await revoke(id)).statusCode).toBe(404);
    const next = await issue();
    expect(next.statusCode).toBe(201);
    expect(next.json().data.key).not.toBe(key);
    expect(await list()).toHaveLength(1);
  });

  test('concurrent requests and revocations succeed and leave at most one active key', async () => {
    const work = Array.from({ length: 24 }, async (_, index) => {
      const answer = await issue();
      if (index % 3 === 0) await revoke(answer.json().data.id);
      return answer.statusCode;
    });
    expect((await Promise.all(work)).every((status) => status === 200 || status === 201)).toBe(true);
    expect((await list()).length).toBeLessThanOrEqual(1);
  });

  test('cannot be revoked from another profile', async () => {
    const mine = (await issue()).json().data;
    const other = await buildProfile(kit.app);
    const theirs = await buildApiKey(kit.app, other.id, { scopes: ['attribution:write'] });
    const answer = await api.fastify.inject({ method: 'DELETE', url: `${url}/${mine.id}`, headers: theirs.headers });
    expect(answer.statusCode).toBe(404);
    expect(await list()).toEqual([mine]);
  });

  test('requires attribution:write, and audits its changes', async () => {
    const reader = await buildApiKey(kit.app, profileId, { scopes: ['analytics:read'] });
    const refused = await api.fastify.inject({ method: 'POST', url, headers: reader.headers });
    expect(refused.json().error).toMatchObject({ code: 'insufficient_scope', required_scopes: ['attribution:write'] });
    const { id } = (await issue()).json().data;
    await revoke(id);
    expect(await audited(id)).toEqual(['tracking_key.created', 'tracking_key.revoked']);
  });
});

async function audited(id: string): Promise<string[]> {
  const { workspace_id } = await kit.app
    .forProfile(profileId)
    .transaction((tx) =>
      tx.selectFrom('profiles').select('workspace_id').where('id', '=', profileId).executeTakeFirstOrThrow(),
    );
  const rows = await kit.app
    .forWorkspace(workspace_id)
    .transaction((tx) =>
      tx
        .selectFrom('audit_log')
        .select('action')
        .where('target', '=', `tracking_key:${id}`)
        .orderBy('sequence')
        .execute(),
    );
  return rows.map((row) => row.action);
}
