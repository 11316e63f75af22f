import { z } from 'zod';
import type { ProviderAnswer } from '../provider.ts';
import { type FaultDetails, ProviderFault, type Verdict } from '../provider-fault.ts';
import { readJson } from '../read-answer.ts';
import { waitOf } from './usage.ts';

const Envelope = z.object({
  error: z.object({
    code: z.number(),
    error_subcode: z.number().optional(),
    message: z.string().default(''),
    error_user_msg: z.string().optional(),
    is_transient: z.boolean().optional(),
  }),
});
type MetaError = z.infer<typeof Envelope>['error'];

const isBetween = (code: number, low: number, high: number): boolean => code >= low && code <= high;
const minuteMs = 60_000;

/** Classifies by code alone: the type is nearly always OAuthException, and texts change. */
export function faultOf(answer: ProviderAnswer): ProviderFault {
  const read = Envelope.safeParse(readJson(answer.text));
  if (!read.success) {
    const verdict = answer.status >= 500 || answer.status === 429 || answer.status < 300 ? 'wait' : 'refused';
    return new ProviderFault({
      verdict,
      code: `http_${answer.status}`,
      says: 'Meta answered in a form of no error of its own.',
      mayHaveHappened: answer.status >= 500,
    });
  }
  const { error } = read.data;
  const verdict = verdictOf(error, answer.status);
  return new ProviderFault({
    verdict,
    code: error.error_subcode === undefined ? String(error.code) : `${error.code}/${error.error_subcode}`,
    says: error.error_user_msg ?? error.message,
    mayHaveHappened: answer.status >= 500,
    ...(verdict === 'wait' && waitFor(error, answer)),
  });
}

function verdictOf({ code, is_transient }: MetaError, status: number): Verdict {
  if (code === 190 || code === 102) return 'reconnect';
  if (code === 10 || isBetween(code, 200, 299) || code === 368) return 'needs_action';
  if ([1, 2, 4, 17, 32, 341, 613].includes(code) || isBetween(code, 80_000, 80_014)) return 'wait';
  return is_transient || status >= 500 ? 'wait' : 'refused';
}

function waitFor({ code, error_subcode }: MetaError, answer: ProviderAnswer): Partial<FaultDetails> {
  // The ad set's budget was changed four times within an hour: only this ad set has to wait.
  if (code === 613 && error_subcode === 1_487_632) return { retryAfterMs: 60 * minuteMs };
  const requestedMs = waitOf(answer.headers);
  if (code === 4) return { reach: 'app', retryAfterMs: requestedMs ?? 10 * minuteMs };
  if ([17, 32, 613].includes(code) || isBetween(code, 80_000, 80_014))
    return { retryAfterMs: requestedMs ?? 5 * minuteMs };
  return requestedMs === undefined ? {} : { retryAfterMs: requestedMs };
}
