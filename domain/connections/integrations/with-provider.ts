import { refuse } from '@tributary/operations';
import { type Call, openCall, type Provider, ProviderFault } from '@tributary/providers';
import type { Channel } from '@tributary/vocabulary';
import type { ConnectionServices } from '../services.ts';
import { refuseFault, refuseUnusable } from '../with-account.ts';

interface Asking extends ConnectionServices {
  readonly caller: { readonly profileId: string };
  readonly now: Date;
  readonly baseUrl: string;
}

/** Providers are asked while somebody waits. */
const patienceMs = 20_000;

/** Asks a provider before there is a connection. What it refuses is the caller's `field`, where one was given. */
export async function withProvider<T>(
  asking: Asking,
  channel: Channel,
  work: (provider: Provider, call: Call) => Promise<T>,
  field?: string,
): Promise<T> {
  const provider = asking.providers.of(channel);
  if (!provider) return refuseUnusable(asking, 'provider_not_configured');
  try {
    return await work(provider, openCall(asking.providerOutbound, asking.now, AbortSignal.timeout(patienceMs)));
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    const { verdict, says } = error.details;
    if (field === undefined || verdict === 'wait') return refuseFault(asking, error);
    return refuse('validation_error', `The field "${field}" is not valid: ${provider.facts.name} says "${says}"`, {
      fields: { field },
    });
  }
}
