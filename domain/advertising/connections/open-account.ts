import { setTimeout as sleep } from 'node:timers/promises';
import { type Account, openCall, type Provider, ProviderFault } from '@tributary/providers';
import type { Channel } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { applyFault } from './apply-fault.ts';
import { openCredentials, sealCredentials } from './credentials.ts';
import type { ProfileServices } from './services.ts';
import { type ConnectionRow, claimRefresh, findConnection, releaseRefresh, saveRefreshed } from './store.ts';

export interface OpenedAccount {
  readonly provider: Provider;
  readonly account: Account<unknown>;
  readonly connection: ConnectionRow;
}

/** Why a connection cannot be used. */
export type Unusable = 'unknown' | 'disconnected' | 'reconnect_required' | 'no_credentials' | 'provider_not_configured';

export class ConnectionUnusable extends Error {
  override readonly name = 'ConnectionUnusable';
  readonly reason: Unusable;

  constructor(reason: Unusable) {
    super(`The connection cannot be used: ${reason}.`);
    this.reason = reason;
  }
}

/** Longer than a refresh takes; after a worker's crash another one refreshes. */
const refreshSeconds = 40;
const retryDelayMs = 150;

/**
 * Opens a connection with valid credentials. Expiring credentials are refreshed by one process at a time; others wait
 * for the result. Throws `ConnectionUnusable`, or the provider's fault if the refresh fails. The connection status is
 * updated before it throws.
 */
export async function openAccount(
  services: ProfileServices,
  profileId: string,
  connectionId: string,
  now: Date,
  signal: AbortSignal = AbortSignal.timeout(refreshSeconds * 1_000),
): Promise<OpenedAccount> {
  for (;;) {
    const opened = await openStored(services, profileId, connectionId);
    const { connect } = opened.provider;
    const due = connect?.refreshAt?.(opened.account.credentials);
    if (!connect?.refresh || !due || due > now) return opened;
    const holder = uuid();
    const hasLease = await services.ledger.transaction((tx) =>
      claimRefresh(tx, opened.connection, holder, refreshSeconds),
    );
    if (hasLease) await refresh(services, opened, holder, now, signal);
    // Another process is refreshing, or has just finished.
    else await sleep(retryDelayMs, undefined, { signal });
  }
}

async function openStored(
  { ledger, providers, vault }: ProfileServices,
  profileId: string,
  id: string,
): Promise<OpenedAccount> {
  const connection = await ledger.transaction((tx) => findConnection(tx, profileId, id), { readOnly: true });
  if (!connection) throw new ConnectionUnusable('unknown');
  if (connection.status === 'disconnected') throw new ConnectionUnusable('disconnected');
  if (connection.status === 'reconnect_required') throw new ConnectionUnusable('reconnect_required');
  if (!connection.credentials) throw new ConnectionUnusable('no_credentials');
  const provider = providers.of(connection.channel as Channel);
  if (!provider) throw new ConnectionUnusable('provider_not_configured');
  const account = {
    externalId: connection.external_id,
    credentials: openCredentials(vault, { profileId, id }, provider, connection.credentials),
    details: connection.details as Readonly<Record<string, string>>,
  };
  return { provider, account, connection };
}

/**
 * A worker that crashes between the provider's response and the commit loses the new credentials, which the provider
 * issues only once.
 */
async function refresh(
  services: ProfileServices,
  opened: OpenedAccount,
  holder: string,
  now: Date,
  signal: AbortSignal,
) {
  const { ledger, vault, providerOutbound } = services;
  const { connection, account, provider } = opened;
  const { profile_id: profileId, id, credentials_revision: revision } = connection;
  try {
    const fresh = await provider.connect?.refresh?.(account.credentials, openCall(providerOutbound, now, signal));
    const sealed = sealCredentials(vault, { profileId, id }, fresh);
    await ledger.transaction((tx) => saveRefreshed(tx, connection, sealed));
  } catch (error) {
    await ledger.transaction(async (tx) => {
      await releaseRefresh(tx, connection, holder);
      if (error instanceof ProviderFault) await applyFault(tx, { profileId, connectionId: id, revision, now }, error);
    });
    throw error;
  }
}
