import { links } from '@tributary/contract';
import { Refusal, refuse } from '@tributary/operations';
import { type Call, openCall, ProviderFault } from '@tributary/providers';
import { applyFault } from './apply-fault.ts';
import { ConnectionUnusable, type OpenedAccount, openAccount, type Unusable } from './open-account.ts';
import type { ProfileServices } from './services.ts';

export interface ProviderContext extends ProfileServices {
  readonly caller: { readonly profileId: string };
  readonly now: Date;
  readonly requestId: string;
  readonly baseUrl: string;
}

/** Limits provider calls, because a caller waits for the response. */
const timeoutMs = 20_000;

/**
 * Calls a provider on behalf of a waiting caller. Converts faults to API errors after the connection status has been
 * updated.
 */
export async function withAccount<T>(
  context: ProviderContext,
  connectionId: string,
  work: (opened: OpenedAccount, call: Call) => Promise<T>,
): Promise<T> {
  const { caller, now, ledger, providerOutbound } = context;
  const { profileId } = caller;
  const signal = AbortSignal.timeout(timeoutMs);
  let opened: OpenedAccount | undefined;
  try {
    opened = await openAccount(context, profileId, connectionId, now, signal);
    return await work(opened, openCall(providerOutbound, now, signal));
  } catch (error) {
    if (!(error instanceof ConnectionUnusable || error instanceof ProviderFault)) throw error;
    const { connection } = opened ?? {};
    if (connection && error instanceof ProviderFault) {
      const faulty = { profileId, connectionId, revision: connection.credentials_revision, now };
      await ledger.transaction((tx) => applyFault(tx, faulty, error));
    }
    try {
      return error instanceof ConnectionUnusable ? refuseUnusable(context, error.reason) : refuseFault(context, error);
    } catch (refusal) {
      throw await withReconnectLink(context, connectionId, refusal);
    }
  }
}

/** Replaces the console URL in a refusal with a link that works without an account, if an app manages the profile. */
export async function withReconnectLink<Thrown>(
  {
    caller,
    now,
    requestId,
    createReconnectUrl,
  }: Pick<ProviderContext, 'caller' | 'now' | 'requestId' | 'createReconnectUrl'>,
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

/** The console page on which a member reconnects. */
const reconnectFields = ({ baseUrl, caller }: Pick<ProviderContext, 'baseUrl' | 'caller'>) => ({
  reconnect_required: true as const,
  reconnect_url: links.profilePage(baseUrl, caller.profileId, 'connections'),
});

const notReadyMessages: Record<Exclude<Unusable, 'unknown' | 'provider_not_configured'>, string> = {
  disconnected: 'The connection was disconnected.',
  no_credentials: 'The connection holds no token.',
  reconnect_required: 'The provider withdrew its consent: a person has to connect again.',
};

export function refuseUnusable(context: Pick<ProviderContext, 'baseUrl' | 'caller'>, reason: Unusable): never {
  switch (reason) {
    case 'unknown':
      return refuse('not_found', 'There is no such connection.');
    case 'provider_not_configured':
      return refuse('not_implemented', 'The operator of this deployment has not set this provider up.');
    case 'reconnect_required':
      return refuse('connection_not_ready', notReadyMessages[reason], { fields: reconnectFields(context) });
    case 'disconnected':
    case 'no_credentials':
      return refuse('connection_not_ready', notReadyMessages[reason]);
  }
}

/** Refuses with a provider's fault: its code and message, and whether a member must act. */
export function refuseFault(context: Pick<ProviderContext, 'baseUrl' | 'caller'>, { details }: ProviderFault): never {
  const providerFields = { provider_code: details.code, provider_message: details.says };
  switch (details.verdict) {
    case 'reconnect':
      return refuse('connection_not_ready', notReadyMessages.reconnect_required, { fields: reconnectFields(context) });
    case 'needs_action':
      return refuse('connection_not_ready', `The provider asks for something first: ${details.says}`);
    case 'wait':
    case 'refused':
      return refuse('provider_error', `The provider did not do it. ${details.says}`.trim(), { fields: providerFields });
  }
}
