import { type OutcomeServices, retryOnConflict } from '@tributary/domain/commerce/outcomes';
import type { Postgres } from '@tributary/postgres';
import {
  type Provider,
  ProviderFault,
  type ProviderRecord,
  type Providers,
  type WebhookDelivery,
  type WebhookNotice,
} from '@tributary/providers';
import type { Vault } from '@tributary/vault';
import type { Channel } from '@tributary/vocabulary';
import { applyFault } from '../apply-fault.ts';
import { applyProviderRecords } from '../apply-provider-records.ts';
import { openCredentials } from '../credentials.ts';
import { findConnection, requestSync } from '../store.ts';

export interface WebhookServices {
  readonly postgres: Postgres;
  readonly providers: Providers;
  readonly vault: Pick<Vault, 'open'>;
  readonly outcomes: OutcomeServices;
}

export interface ProviderWebhook {
  readonly channel: Channel;
  readonly delivery: WebhookDelivery;
  /** Signatures are checked for the time of arrival, however late the webhook is applied. */
  readonly receivedAt: Date;
}

/** Result of applying a webhook. */
export type Applied =
  | { readonly kind: 'applied' }
  /** This provider has no webhooks. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unsigned' }
  /** The signature is valid, but some of the content cannot be recorded. */
  | { readonly kind: 'rejected'; readonly reason: string; readonly profileIds: readonly string[] };

/** More notifications than any provider sends in one delivery. */
const maxNews = 1_000;

interface FoundConnection {
  readonly profile_id: string;
  readonly id: string;
  readonly credentials_revision: number;
}

/**
 * Trusts a webhook only for its signature over the raw bytes. Most webhooks schedule a sync of the connection, which reads the changed object
 * from the provider. A webhook signed with an account's own secret is recorded as sent, because there may be no API token. Idempotent:
 * records carry the provider's ids.
 */
export async function applyWebhook(services: WebhookServices, webhook: ProviderWebhook, now: Date): Promise<Applied> {
  const { channel, delivery, receivedAt } = webhook;
  const provider = services.providers.of(channel);
  if (!provider || !(provider.receive || provider.selfSignedWebhooks)) return { kind: 'unknown' };
  if (provider.selfSignedWebhooks) return recordContent(services, channel, provider, delivery, now);
  if (!provider.receive?.verify(delivery, receivedAt)) return { kind: 'unsigned' };
  for (const news of provider.receive.read(delivery).slice(0, maxNews)) await handleNews(services, channel, news, now);
  return { kind: 'applied' };
}

const findConnections = ({ postgres }: WebhookServices, channel: Channel, account: string) =>
  postgres.allShards.lookUp<FoundConnection>('SELECT * FROM find_connections_of($1, $2)', [channel, account]);

async function handleNews(services: WebhookServices, channel: Channel, news: WebhookNotice, now: Date): Promise<void> {
  const found = await findConnections(services, channel, news.accountExternalId);
  for (const { profile_id, id, credentials_revision: revision } of found) {
    await services.postgres.forProfile(profile_id).transaction(async (tx) => {
      if (news.about === 'changed') return requestSync(tx, { profile_id, id, channel }, now);
      const details = { verdict: 'reconnect', code: 'disconnected_at_provider', says: '' } as const;
      return applyFault(tx, { profileId: profile_id, connectionId: id, revision, now }, new ProviderFault(details));
    });
  }
}

async function recordContent(
  services: WebhookServices,
  channel: Channel,
  provider: Provider,
  delivery: WebhookDelivery,
  now: Date,
): Promise<Applied> {
  const { selfSignedWebhooks } = provider;
  const account = selfSignedWebhooks?.accountOf(delivery);
  const found = account === undefined ? [] : await findConnections(services, channel, account);
  let applied: Applied = { kind: 'unsigned' };
  for (const { profile_id: profileId, id } of found) {
    const ledger = services.postgres.forProfile(profileId);
    const row = await ledger.transaction((tx) => findConnection(tx, profileId, id), { readOnly: true });
    if (!row?.credentials) continue;
    const credentials = openCredentials(services.vault, { profileId, id }, provider, row.credentials);
    if (!selfSignedWebhooks?.verify(delivery, credentials)) continue;
    const records = parseContent(() => selfSignedWebhooks.read(delivery));
    const profileIds = found.map(({ profile_id }) => profile_id);
    if (!records) return { kind: 'rejected', reason: 'The body does not match its topic.', profileIds };
    const context = { profileId, connectionId: id, channel, services: services.outcomes, now };
    const [rejected] = await retryOnConflict(() =>
      ledger.transaction((tx) => applyProviderRecords(tx, context, records)),
    );
    if (rejected) applied = { kind: 'rejected', reason: `${rejected.externalId}: ${rejected.reason}`, profileIds };
    else if (applied.kind === 'unsigned') applied = { kind: 'applied' };
  }
  return applied;
}

function parseContent(read: () => readonly ProviderRecord[]): readonly ProviderRecord[] | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
