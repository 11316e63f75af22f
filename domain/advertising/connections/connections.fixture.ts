import type { Scope } from '@tributary/contract';
import { createOutbound, localDevelopmentTargets } from '@tributary/outbound';
import { buildApiKey, buildConnection, buildMarkedProfile, openTest, testVault } from '@tributary/testkit';
import type { Channel } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { afterAll } from 'vitest';
import { Toy } from './toy.fixture.ts';

/** Opens the API with a local fake provider for the given channels; `shop` creates a profile with a key. */
export async function openConnections(...channels: readonly Channel[]) {
  const toy = await new Toy().open();
  afterAll(() => toy.close());
  const providers = toy.providers(...channels);
  const providerOutbound = createOutbound({ timeoutMs: 2_000, policy: localDevelopmentTargets });
  const { kit, api } = await openTest({ providers, providerOutbound });
  const services = { vault: testVault, providers, providerOutbound };

  async function shop(scopes: readonly Scope[] = ['connections:read', 'connections:write', 'exports:read']) {
    const profile = await buildMarkedProfile(kit);
    const { headers } = await buildApiKey(kit.app, profile.id, { appId: profile.appId, scopes });
    const ledger = kit.app.forProfile(profile.id);
    return {
      profile,
      ledger,
      headers,
      services: { ...services, ledger },
      connect: (channel: Channel, traits: object = {}) =>
        buildConnection(kit, profile, { channel, credentials: toy.credentials(), ...traits }),
      ask: async (method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object) => {
        const answer = await api.call({
          method,
          url: `/api/v1${url}`,
          headers,
          ...(payload && { payload }),
        });
        return { status: answer.statusCode, ...answer.json() };
      },
      row: async (id: string) =>
        (await ledger.transaction((tx) => sql`SELECT * FROM connections WHERE id = ${id}`.execute(tx)))
          .rows[0] as Record<string, unknown>,
      announced: async () =>
        (
          await ledger.transaction((tx) =>
            sql<{ type: string }>`SELECT type FROM outbox WHERE profile_id = ${profile.id} ORDER BY id`.execute(tx),
          )
        ).rows.map(({ type }) => type),
    };
  }
  return { kit, api, toy, services, shop };
}
