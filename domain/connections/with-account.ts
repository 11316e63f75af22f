import { links } from '@tributary/contract';
import { Refusal, refuse } from '@tributary/operations';
import { type Call, openCall, ProviderFault } from '@tributary/providers';
import { noteFault } from './note-fault.ts';
import { ConnectionUnusable, type Opened, openAccount, type Unusable } from './open-account.ts';
import type { ProfileServices } from './services.ts';

export interface Asking extends ProfileServices {
  readonly caller: { readonly profileId: string };
  readonly now: Date;
  readonly requestId: string;
  readonly baseUrl: string;
}

/** Providers are asked while somebody waits. */
const patienceMs = 20_000;

/**
 * Asks a provider for a caller who waits. What fails is told to the caller as the API tells it, after the connection's state has followed.
 */
export async function withAccount<T>(
  asking: Asking,
  connectionId: string,
  work: (opened: Opened, call: Call) => Promise<T>,
): Promise<T> {
  const { caller, now, ledger, providerOutbound } = asking;
  const { profileId } = caller;
  const signal = AbortSignal.timeout(patienceMs);
  let opened: Opened | undefined;
  try {
    opened = await openAccount(asking, profileId, connectionId, now, signal);
    return await work(opened, openCall(providerOutbound, now, signal));
  } catch (error) {
    if (!(error instanceof ConnectionUnusable || error instanceof ProviderFault)) throw error;
    const { connection } = opened ?? {};
    if (connection && error instanceof ProviderFault) {
      const faulty = { profileId, connectionId, revision: connection.credentials_revision, now };
      await ledger.transaction((tx) => noteFault(tx, faulty, error));
    }
    try {
      return error instanceof ConnectionUnusable ? refuseUnusable(asking, error.reason) : refuseFault(asking, error);
    } catch (refusal) {
      throw await withReconnectLink(asking, connectionId, refusal);
    }
  }
}

/** Replaces the console page in a refusal by a link that works without an account, where an app governs the profile. */
export async function withReconnectLink<Thrown>(
  { caller, now, requestId, createReconnectUrl }: Pick<Asking, 'caller' | 'now' | 'requestId' | 'createReconnectUrl'>,
  connectionId: string,
  thrown: Thrown,
): Promise<Thrown | Refusal> {
  if (!(thrown instanceof Refusal && 'reconnect_url' in thrown.fields)) return thrown;
  const url = await createReconnectUrl?.({ profileId: caller.profileId, connectionId, requestId, now });
  if (url === undefined) return thrown;
  const { reconnect_url: _consolePage, ...fields } = thrown.fields;
  return new Refusal(thrown.code, thrown.message, {
    fields: { ...fields, ...(url !== null && { reconnect_url: url }) },
  });
}

/** Where a person connects again. */
const reconnectAt = ({ baseUrl, caller }: Pick<Asking, 'baseUrl' | 'caller'>) => ({
  reconnect_required: true as const,
  reconnect_url: links.profilePage(baseUrl, caller.profileId, 'connections'),
});

const whyNotReady: Record<Exclude<Unusable, 'unknown' | 'provider_not_configured'>, string> = {
  disconnected: 'The connection was disconnected.',
  no_credentials: 'The connection holds no token.',
  reconnect_required: 'The provider withdrew its consent: a person has to connect again.',
};

export function refuseUnusable(asking: Pick<Asking, 'baseUrl' | 'caller'>, reason: Unusable): never {
  switch (reason) {
    case 'unknown':
      return refuse('not_found', 'There is no such connection.');
    case 'provider_not_configured':
      return refuse('not_implemented', 'The operator of this deployment has not set this provider up.');
    case 'reconnect_required':
      return refuse('connection_not_ready', whyNotReady[reason], { fields: reconnectAt(asking) });
    case 'disconnected':
    case 'no_credentials':
      return refuse('connection_not_ready', whyNotReady[reason]);
  }
}

/** A provider's fault as the API tells it: its own code and words, and whether a person has to act. */
export function refuseFault(asking: Pick<Asking, 'baseUrl' | 'caller'>, { details }: ProviderFault): never {
  const said = { provider_code: details.code, provider_message: details.says };
  switch (details.verdict) {
    case 'reconnect':
      return refuse('connection_not_ready', whyNotReady.reconnect_required, { fields: reconnectAt(asking) });
    case 'needs_action':
      return refuse('connection_not_ready', `The provider asks for something first: ${details.says}`);
    case 'wait':
    case 'refused':
      return refuse('provider_error', `The provider did not do it. ${details.says}`.trim(), { fields: said });
  }
}
