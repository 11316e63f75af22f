import type { Channel, ConnectionStatus } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { testVault } from './operation-deps.ts';
import type { Testkit } from './testkit.ts';

interface Owner {
  readonly id: string;
  readonly workspaceId: string;
  readonly mark?: string;
}

export interface ConnectionTraits {
  readonly channel?: Channel;
  readonly status?: ConnectionStatus;
  readonly externalId?: string;
  readonly credentials?: unknown;
  readonly granted?: readonly string[];
  readonly details?: Readonly<Record<string, string>>;
  readonly appId?: string;
  readonly connectedAt?: Date;
}

/** Inserts a connection as a completed hand-off leaves it, with nothing synced yet. */
export async function buildConnection(
  { app }: Pick<Testkit, 'app'>,
  { id: profileId, workspaceId, mark = 'shop' }: Owner,
  traits: ConnectionTraits = {},
): Promise<string> {
  const id = uuid();
  const { channel = 'social_ads', status = 'connected', externalId = id, granted = [] } = traits;
  const place = { table: 'connections', column: 'credentials', row: id, profileId };
  const credentials = testVault.seal(JSON.stringify(traits.credentials ?? {}), place);
  await app.forProfile(profileId).transaction((tx) =>
    tx
      .insertInto('connections')
      .values({
        profile_id: profileId,
        id,
        workspace_id: workspaceId,
        app_id: traits.appId ?? null,
        channel,
        status,
        external_id: externalId,
        name: `Account ${mark}`,
        granted: [...granted],
        details: JSON.stringify(traits.details ?? {}),
        credentials: status === 'disconnected' ? null : credentials,
        connected_at: traits.connectedAt ?? new Date('2026-01-01T00:00:00Z'),
      })
      .execute(),
  );
  return id;
}
