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
