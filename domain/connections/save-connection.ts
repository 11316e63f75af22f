import { announce } from '@tributary/domain/events';
import { profileOf } from '@tributary/domain/tenants';
import type { Tx } from '@tributary/postgres';
import type { Candidate, Provider } from '@tributary/providers';
import type { Channel } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { sealCredentials } from './credentials.ts';
import type { ConnectionServices } from './services.ts';
import { insertConnection, lockAccount, updateConnection, wishSync } from './store.ts';

type Details = Candidate<unknown>['details'];

export interface NewConnection {
  readonly profileId: string;
  readonly workspaceId: string;
  /** The app through whose hand-off it came. */
  readonly appId: string | undefined;
  readonly channel: Channel;
  readonly candidate: Candidate<unknown>;
  /** The consent's, where the candidate has no way in of its own. */
  readonly credentials: unknown;
  readonly now: Date;
}

/**
 * Keeps an account that a person consented to. One that the profile holds already gets the new credentials and works again under the id
 * that it had. A first sync begins when this commits.
 */
export async function saveConnection(
  tx: Tx,
  { vault, providers }: Pick<ConnectionServices, 'vault' | 'providers'>,
  made: NewConnection,
): Promise<{ readonly connectionId: string } | 'account_connected_elsewhere'> {
  const { profileId, workspaceId, appId, channel, candidate, now } = made;
  const { externalId, name, granted } = candidate;
  const known = await lockAccount(tx, profileId, channel, externalId);
  const details = await withCurrency(tx, profileId, providers.of(channel), candidate.details, known?.details);
  const id = known?.id ?? uuid();
  const credentials = sealCredentials(vault, { profileId, id }, candidate.credentials ?? made.credentials);
  const facts = { status: 'connected', name, granted: [...granted], details: JSON.stringify(details), credentials };
  if (known) {
    const credentials_revision = known.credentials_revision + 1;
    await updateConnection(tx, known, { ...facts, app_id: appId ?? known.app_id, credentials_revision });
  } else {
    const row = { profile_id: profileId, id, workspace_id: workspaceId, app_id: appId ?? null, channel };
    if (!(await insertConnection(tx, { ...row, ...facts, external_id: externalId, connected_at: now })))
      return 'account_connected_elsewhere';
  }
  if (providers.of(channel)?.sync) await wishSync(tx, { profile_id: profileId, id, channel }, now);
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

/** Of a provider that tells no currency the profile's is assumed: what was told so far keeps it, whatever the profile reports in later. */
async function withCurrency(
  tx: Tx,
  profileId: string,
  provider: Provider | undefined,
  details: Details,
  before: unknown,
): Promise<Details> {
  if (!provider?.facts.assumesCurrency || details.currency) return details;
  const { currency = (await profileOf(tx, profileId)).currency } = (before ?? {}) as Details;
  return { ...details, currency };
}
