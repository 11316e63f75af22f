import { refuse } from '@tributary/operations';
import { type Call, openCall, type Provider, ProviderFault } from '@tributary/providers';
import type { Channel } from '@tributary/vocabulary';
import type { ConnectionServices } from '../services.ts';
import { refuseFault, refuseUnusable } from '../with-account.ts';

interface ProviderContext extends ConnectionServices {
  readonly caller: { readonly profileId: string };
  readonly now: Date;
  readonly baseUrl: string;
}

/** Limits provider calls, because a caller waits for the response. */
const timeoutMs = 20_000;

/** Calls a provider before a connection exists. Reports a refusal as a validation error of `field`, if given. */
export async function withProvider<T>(
  context: ProviderContext,
  channel: Channel,
  work: (provider: Provider, call: Call) => Promise<T>,
  field?: string,
): Promise<T> {
  const provider = context.providers.of(channel);
  if (!provider) return refuseUnusable(context, 'provider_not_configured');
  try {
    return await work(provider, openCall(context.providerOutbound, context.now, AbortSignal.timeout(timeoutMs)));
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    const { verdict, says } = error.details;
    if (field === undefined || verdict === 'wait') return refuseFault(context, error);
    return refuse('validation_error', `The field "${field}" is not valid: ${provider.facts.name} says "${says}"`, {
      fields: { field },
    });
  }
}
