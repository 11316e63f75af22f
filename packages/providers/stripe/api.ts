import { z } from 'zod';
import type { Call, ProviderAnswer } from '../provider.ts';
import { ProviderFault, type Verdict } from '../provider-fault.ts';
import { readJson } from '../read-answer.ts';
import { baseOf, requestJson, retryAfterMs, verdictOf } from '../request-json.ts';

export interface StripeSettings {
  readonly clientId: string;
  /** The secret key of the account that owns the app. */
  readonly clientSecret: string;
  /** https://api.stripe.com */
  readonly apiUrl: string;
  /** https://marketplace.stripe.com */
  readonly dialogUrl: string;
  readonly apiVersion: string;
  /** Undefined: webhooks are not accepted. */
  readonly webhookSecret: string | undefined;
}

export type StripeApi = ReturnType<typeof createApi>;
export type Params = readonly (readonly [name: string, value: string])[];

export function createApi(settings: StripeSettings) {
  const base = baseOf(settings.apiUrl);
  return {
    async get<T>(path: string, params: Params, schema: z.ZodType<T>, token: string, call: Call): Promise<T> {
      const url = `${base}${path}?${queryOf(params)}`;
      const headers = { authorization: `Bearer ${token}`, 'stripe-version': settings.apiVersion };
      return (await requestJson({ method: 'GET', url, headers }, schema, call, (answer) => faultOf(answer, call.now)))
        .body;
    },

    /** Calls in the name of the app itself. */
    async postAsApp(path: string, params: Params, call: Call): Promise<void> {
      const body = queryOf(params).toString();
      const headers = {
        authorization: appAuthorization(settings.clientSecret),
        'stripe-version': settings.apiVersion,
        'content-type': 'application/x-www-form-urlencoded',
      };
      const request = { method: 'POST', url: `${base}${path}`, headers, body } as const;
      await requestJson(request, z.unknown(), call, (answer) => faultOf(answer, call.now));
    },
  };
}

const queryOf = (params: Params): URLSearchParams =>
  new URLSearchParams(params.map(([name, value]): [string, string] => [name, value]));

/** Basic authentication with the key as the user name and an empty password. */
export const appAuthorization = (secretKey: string): string =>
  `Basic ${Buffer.from(`${secretKey}:`).toString('base64')}`;

const Refusal = z.object({
  error: z.union([
    z.string(),
    z.object({
      type: z.string().optional(),
      code: z.string().optional(),
      message: z.string().optional(),
    }),
  ]),
  error_description: z.string().optional(),
});

export function faultOf(answer: ProviderAnswer, now: Date): ProviderFault {
  const { status, headers, text } = answer;
  const { error, error_description } = Refusal.safeParse(readJson(text)).data ?? {};
  const { code, type, message } =
    typeof error === 'string' ? { code: error, message: error_description } : (error ?? {});
  return new ProviderFault({
    verdict: verdictOfStripe(status, code, headers['stripe-should-retry']),
    code: code ?? type ?? `http_${status}`,
    says: message ?? `HTTP ${status}`,
    retryAfterMs: retryAfterMs(headers, now),
  });
}

/** `Stripe-Should-Retry` is more reliable than the status. */
function verdictOfStripe(status: number, code: string | undefined, shouldRetry: string | undefined): Verdict {
  if (status === 403) return code === 'account_invalid' ? 'reconnect' : 'needs_action';
  const verdict = verdictOf(status);
  if (shouldRetry === 'true') return 'wait';
  return shouldRetry === 'false' && verdict === 'wait' && status !== 429 ? 'refused' : verdict;
}
