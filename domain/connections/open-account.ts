import { setTimeout as sleep } from 'node:timers/promises';
import { type Account, openCall, type Provider, ProviderFault } from '@tributary/providers';
import type { Channel } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { openCredentials, sealCredentials } from './credentials.ts';
import { noteFault } from './note-fault.ts';
import type { ProfileServices } from './services.ts';
import { type ConnectionRow, dropRefresh, findConnection, saveRefreshed, takeRefresh } from './store.ts';

export interface Opened {
  readonly provider: Provider;
  readonly account: Account<unknown>;
  readonly connection: ConnectionRow;
}

/** Why a connection cannot be used at all. */
export type Unusable = 'unknown' | 'disconnected' | 'reconnect_required' | 'no_credentials' | 'provider_not_configured';

export class ConnectionUnusable extends Error {
  override readonly name = 'ConnectionUnusable';
  readonly reason: Unusable;

  constructor(reason: Unusable) {
    super(`The connection cannot be used: ${reason}.`);
    this.reason = reason;
  }
}

/** Longer than a refresh takes; one whose worker died is tried by another afterwards. */
const refreshSeconds = 40;
const lookAgainMs = 150;

/**
 * A connection with credentials that work at this moment. Those that are due are replaced, by one at a time: others wait for theirs.
 * Throws `ConnectionUnusable`, or the provider's fault when it gives no new ones; the connection's state has followed by then.
 */
export async function openAccount(
  services: ProfileServices,
  profileId: string,
  connectionId: string,
  now: Date,
  signal: AbortSignal = AbortSignal.timeout(refreshSeconds * 1_000),
): Promise<Opened> {
  for (;;) {
    const opened = await open(services, profileId, connectionId);
    const { connect } = opened.provider;
    const due = connect?.refreshAt?.(opened.account.credentials);
    if (!connect?.refresh || !due || due > now) return opened;
    const holder = uuid();
    const isMine = await services.ledger.transaction((tx) =>
      takeRefresh(tx, opened.connection, holder, refreshSeconds),
    );
    if (isMine) await refresh(services, opened, holder, now, signal);
    // Somebody else is at it, or has just been.
    else await sleep(lookAgainMs, undefined, { signal });
  }
}

async function open({ ledger, providers, vault }: ProfileServices, profileId: string, id: string): Promise<Opened> {
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

/** A worker that dies between the provider's answer and the commit loses a pair that the provider gives only once. */
async function refresh(services: ProfileServices, opened: Opened, holder: string, now: Date, signal: AbortSignal) {
  const { ledger, vault, providerOutbound } = services;
  const { connection, account, provider } = opened;
  const { profile_id: profileId, id, credentials_revision: revision } = connection;
  try {
    const fresh = await provider.connect?.refresh?.(account.credentials, openCall(providerOutbound, now, signal));
    const sealed = sealCredentials(vault, { profileId, id }, fresh);
    await ledger.transaction((tx) => saveRefreshed(tx, connection, sealed));
  } catch (error) {
    await ledger.transaction(async (tx) => {
      await dropRefresh(tx, connection, holder);
      if (error instanceof ProviderFault) await noteFault(tx, { profileId, connectionId: id, revision, now }, error);
    });
    throw error;
  }
}
