import { buildApiKey, buildProfile, openTest } from '@tributary/testkit';
import { describe, expect, test } from 'vitest';

const { kit, api } = await openTest();

describe('last use of a key', () => {
  test('is written on first use and then at most once a minute', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const used = await buildApiKey(kit.app, profileId);
    const idle = await buildApiKey(kit.app, profileId);
    const ask = () =>
      api.fastify.inject({ url: '/api/v1/profile', headers: { authorization: `Bearer ${used.secret}` } });
    const lastUse = async (id: string) =>
      (
        await kit.app
          .forProfile(profileId)
          .transaction((tx) =>
            tx.selectFrom('api_keys').select('last_used_at').where('id', '=', id).executeTakeFirstOrThrow(),
          )
      ).last_used_at;
    expect(await lastUse(used.id)).toBeNull();

    const first = kit.clock.now();
    await ask();
    await expect.poll(() => lastUse(used.id)).toEqual(first);
    kit.clock.advance(59_000);
    await ask();
    kit.clock.advance(2_000);
    const second = kit.clock.now();
    await ask();
    await expect.poll(() => lastUse(used.id)).toEqual(second);
    expect(await lastUse(idle.id)).toBeNull();
  });
});
