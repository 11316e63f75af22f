import { announce } from '@tributary/domain/tenancy/events';
import { getProfile } from '@tributary/domain/tenancy/tenants';
import type { Tx } from '@tributary/postgres';
import type { Candidate, Provider } from '@tributary/providers';
import type { Channel } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { sealCredentials } from './credentials.ts';
import type { ConnectionServices } from './services.ts';
import { insertConnection, lockAccount, requestSync, updateConnection } from './store.ts';

type Details = Candidate<unknown>['details'];

export interface NewConnection {
  readonly profileId: string;
  readonly workspaceId: string;
  /** The app whose hand-off created it. */
  readonly appId: string | undefined;
  readonly channel: Channel;
  readonly candidate: Candidate<unknown>;
  /** The credentials of the consent, for a candidate without its own. */
  readonly credentials: unknown;
  readonly now: Date;
}

/**
 * Stores an account that a user consented to. An account that the profile already has keeps its connection id and gets
 * the new credentials. A first sync starts when the transaction commits.
 */
export async function saveConnection(
  tx: Tx,
  { vault, providers }: Pick<ConnectionServices, 'vault' | 'providers'>,
  request: NewConnection,
): Promise<{ readonly connectionId: string } | 'account_connected_elsewhere'> {
  const { profileId, workspaceId, appId, channel, candidate, now } = request;
  const { externalId, name, granted } = candidate;
  const existing = await lockAccount(tx, profileId, channel, externalId);
  const details = await withCurrency(tx, profileId, providers.of(channel), candidate.details, existing?.details);
  const id = existing?.id ?? uuid();
  const credentials = sealCredentials(vault, { profileId, id }, candidate.credentials ?? request.credentials);
  const facts = { status: 'connected', name, granted: [...granted], details: JSON.stringify(details), credentials };
  if (existing) {
    const credentials_revision = existing.credentials_revision + 1;
    await updateConnection(tx, existing, { ...facts, app_id: appId ?? existing.app_id, credentials_revision });
  } else {
    const row = { profile_id: profileId, id, workspace_id: workspaceId, app_id: appId ?? null, channel };
    if (!(await insertConnection(tx, { ...row, ...facts, external_id: externalId, connected_at: now })))
      return 'account_connected_elsewhere';
  }
  if (providers.of(channel)?.sync) await requestSync(tx, { profile_id: profileId, id, channel }, now);
  await announce(tx, [
    {
      id: uuid(),
      type: 'connection.connected',
      data: { profile_id: profileId, connection_id: id, provider: channel },
      occurredAt: now,
    },
  ]);
  return { connectionId: id };
}

/**
 * For a provider that reports no currency, assumes the profile's. The first assumption is kept, even if the profile's
 * reporting currency changes, because earlier records use it.
 */
async function withCurrency(
  tx: Tx,
  profileId: string,
  provider: Provider | undefined,
  details: Details,
  before: unknown,
): Promise<Details> {
  if (!provider?.facts.assumesCurrency || details.currency) return details;
  const { currency = (await getProfile(tx, profileId)).currency } = (before ?? {}) as Details;
  return { ...details, currency };
}
