import { links } from '@tributary/contract';
import { type CreateReconnectUrl, findConnection } from '@tributary/domain/advertising/connections';
import { findGoverningApp, findWorkspaceOf } from '@tributary/domain/tenancy/tenants';
import { handoffProviders, minuteMs } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { hashCapability, mintCapability, openCapability, sealCapability } from './capability.ts';
import { getExpiry } from './handoff.ts';
import type { HandoffPageServices } from './services.ts';
import { findReconnect, insertHandoff } from './store.ts';

/** A link with less time left is replaced: its holder has to read a message and sign in at the provider. */
const reuseMinutes = 30;

/**
 * Creates a page on which a merchant without an account reconnects one account, for a profile that an app governs. It
 * is a hand-off with the same secret, lifetime and origin rules.
 */
export function reconnectLinks({
  postgres,
  vault,
  baseUrl,
  audit,
}: Pick<HandoffPageServices, 'postgres' | 'vault' | 'baseUrl' | 'audit'>): CreateReconnectUrl {
  return async ({ profileId, connectionId, requestId, now }) => {
    const workspaceId = await postgres.forProfile(profileId).transaction((tx) => findWorkspaceOf(tx, profileId));
    if (!workspaceId) return undefined;
    return postgres.withScope({ profileId, workspaceId }).transaction(async (tx) => {
      const appId = await findGoverningApp(tx, profileId);
      const connection = appId && (await findConnection(tx, profileId, connectionId));
      if (!connection) return undefined;
      if (!handoffProviders.some((provider) => provider === connection.channel)) return null;
      // Every refused call requests a link, so a link with time left is returned again.
      const usableUntil = new Date(now.getTime() + reuseMinutes * minuteMs);
      const open = await findReconnect(tx, profileId, connectionId, usableUntil);
      if (open) return links.connect(baseUrl, openCapability(vault, { profileId, id: open.id }, open.capability));
      const id = uuid();
      const capability = mintCapability();
      await insertHandoff(tx, {
        profile_id: profileId,
        id,
        app_id: appId,
        provider: connection.channel,
        return_url: null,
        capability_hash: hashCapability(capability),
        capability: sealCapability(vault, { profileId, id }, capability),
        reconnects: connectionId,
        created_at: now,
        expires_at: getExpiry(now),
      });
      await audit(tx, {
        log: { workspaceId },
        actor: { kind: 'app', id: appId },
        action: 'handoff.created',
        target: `handoff:${id}`,
        result: 'done',
        detail: { provider: connection.channel, reconnects: connectionId },
        requestId,
        at: now,
      });
      return links.connect(baseUrl, capability);
    });
  };
}
