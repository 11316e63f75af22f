import { Scope } from '@tributary/contract';
import { buildApiKey, buildProfile, openTest } from '@tributary/testkit';
import { describe, expect, test } from 'vitest';
import { bearerAuthenticator } from './authenticate.ts';
import { CredentialFinder } from './find-credentials.ts';

const { kit, api } = await openTest();

describe('A key minted under an older attribution grant', () => {
  test('connects providers until the swap window closes, and no longer', async () => {
    const { id: profileId } = await buildProfile(kit.app);
    const { clientId: appId } = await api.registerApp();
    await kit.app.behind({ profileId, appId }).transaction((tx) =>
      tx
        .insertInto('grants')
        .values({
          profile_id: profileId,
          app_id: appId,
          oauth_scopes: ['attribution_write'],
          created_at: kit.clock.now(),
          updated_at: kit.clock.now(),
        })
        .execute(),
    );
    const { secret } = await buildApiKey(kit.app, profileId, { appId, scopes: Scope.options });
    const until = new Date('2026-06-01T00:00:00Z');
    const authenticate = bearerAuthenticator({
      credentials: new CredentialFinder(kit.app.unbound),
      isSwapWindowOpen: (now) => now < until,
    });
    const scopesAt = async (now: Date) => [...((await authenticate(`Bearer ${secret}`, now))?.scopes ?? [])].sort();
    const within = await scopesAt(new Date(until.getTime() - 1));
    expect(within).toEqual(['attribution:write', 'connections:read', 'connections:write', 'goals:write']);
    expect(await scopesAt(until)).toEqual(['attribution:write', 'goals:write']);
  });
});

test('those who are looked up together are held against the time of the last to come', async () => {
  const asked: Date[] = [];
  const gates: (() => void)[] = [];
  const ledger = {
    query: async (statement: { compile(executor: unknown): { parameters: readonly unknown[] } }) => {
      const { parameters } = statement.compile(kit.app.database);
      asked.push(parameters.find((value) => value instanceof Date) as Date);
      await new Promise<void>((open) => gates.push(open));
      return { rows: [] };
    },
  } as unknown as ConstructorParameters<typeof CredentialFinder>[0];
  const finder = new CredentialFinder(ledger);
  const find = (ms: number) => finder.find(Buffer.alloc(32), new Date(ms));
  const answers = [find(1_000)];
  await expect.poll(() => gates.length).toBe(1);
  answers.push(find(2_000));
  await expect.poll(() => gates.length).toBe(2);
  // Both questions are on their way; these wait for the next one.
  answers.push(find(3_000), find(9_000), find(5_000));
  gates[0]?.();
  await expect.poll(() => gates.length).toBe(3);
  for (const open of gates) open();
  await Promise.all(answers);
  expect(asked.map((at) => at.getTime())).toEqual([1_000, 2_000, 9_000]);
});
