import { type Outbound, OutboundFailed, OutboundRefused } from '@tributary/outbound';
import type { Call, ProviderAnswer, Send } from './provider.ts';
import { ProviderFault } from './provider-fault.ts';

/** The largest response that we read from a provider, a page of a report. */
const defaultMaxBytes = 16 * 1024 * 1024;

/** Creates the `send` of providers. A request without a response is a fault with verdict `wait`. */
export function createSend(outbound: Pick<Outbound, 'request'>, signal?: AbortSignal): Send {
  return async ({ url, maxResponseBytes = defaultMaxBytes, ...request }): Promise<ProviderAnswer> => {
    try {
      const answer = await outbound.request(url, { ...request, maxResponseBytes, ...(signal && { signal }) });
      if (answer.truncated) throw noAnswer('too_long', 'The answer was too long to be read.', true);
      const headers = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as const);
      return {
        status: answer.status,
        headers: Object.fromEntries(headers),
        text: Buffer.from(answer.body).toString('utf8'),
      };
    } catch (error) {
      if (error instanceof OutboundFailed) throw noAnswer(error.reason, error.message, error.reason !== 'unreachable');
      if (error instanceof OutboundRefused) throw noAnswer(error.reason, error.message, false);
      throw error;
    }
  };
}

const noAnswer = (code: string, says: string, mayHaveHappened: boolean): ProviderFault =>
  new ProviderFault({ verdict: 'wait', code, says, mayHaveHappened });

/** The context of a provider's call. Aborting the signal aborts the request. */
export const openCall = (outbound: Pick<Outbound, 'request'>, now: Date, signal: AbortSignal): Call => ({
  send: createSend(outbound, signal),
  now,
  signal,
});
