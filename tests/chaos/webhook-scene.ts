import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { announce } from '@tributary/domain/tenancy/events';
import type { Postgres } from '@tributary/postgres';
import { testVault } from '@tributary/testkit';
import type { Vault } from '@tributary/vault';
import { v7 as uuid } from 'uuid';

/** A subscriber on this machine. The drill's `answer` function records each delivery and responds to it. */
export async function openReceiver(answer: (path: string, id: string, response: ServerResponse) => void) {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => answer(request.url ?? '', String(request.headers['webhook-id']), response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Subscribes to events without personal data. The profile owns the subscription. */
export async function subscribe(
  app: Postgres,
  profileId: string,
  url: string,
  vault: Pick<Vault, 'seal'> = testVault,
): Promise<string> {
  const id = uuid();
  const secrets = JSON.stringify([{ secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}`, until: null }]);
  const location = { table: 'webhook_subscriptions', column: 'secrets', row: id, profileId };
  const now = new Date();
  await app.forProfile(profileId).transaction((tx) =>
    tx
      .insertInto('webhook_subscriptions')
      .values({
        profile_id: profileId,
        id,
        url,
        events: ['recompute.completed'],
        providers: ['service'],
        secrets: vault.seal(secrets, location),
        position: '0',
        created_at: now,
        updated_at: now,
      })
      .execute(),
  );
  return id;
}

export async function happen(app: Postgres, profileId: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => uuid());
  const occurredAt = new Date();
  await app.forProfile(profileId).transaction((tx) =>
    announce(
      tx,
      ids.map((id) => ({
        id,
        type: 'recompute.completed',
        data: { profile_id: profileId, replay_id: id, cause: 'drill', conversions: 0 },
        occurredAt,
      })),
    ),
  );
  return ids;
}
