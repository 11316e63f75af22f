import { type Outbound, OutboundFailed, OutboundRefused } from '@tributary/outbound';
import type { Call, ProviderAnswer, Send } from './provider.ts';
import { ProviderFault } from './provider-fault.ts';

/** A page of a report; nothing that we read of a provider is larger. */
const usualMostBytes = 16 * 1024 * 1024;

/** The way out for providers. What brings no answer is a fault like any other that passes by itself. */
export function createSend(outbound: Pick<Outbound, 'request'>, signal?: AbortSignal): Send {
  return async ({ url, maxResponseBytes = usualMostBytes, ...request }): Promise<ProviderAnswer> => {
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

/** What a provider's call brings along. Whoever gives up takes the request back. */
export const openCall = (outbound: Pick<Outbound, 'request'>, now: Date, signal: AbortSignal): Call => ({
  send: createSend(outbound, signal),
  now,
  signal,
});
