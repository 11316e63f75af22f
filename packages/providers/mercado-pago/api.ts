import { z } from 'zod';
import type { Call, ProviderAnswer } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import { readJson } from '../read-answer.ts';
import { baseOf, requestJson, retryAfterMs, verdictOf } from '../request-json.ts';

export interface MercadoPagoSettings {
  readonly clientId: string;
  readonly clientSecret: string;
  /** https://api.mercadopago.com */
  readonly apiUrl: string;
  /** https://auth.mercadopago.com */
  readonly dialogUrl: string;
  /** Undefined: webhooks are not accepted. */
  readonly webhookSecret: string | undefined;
}

export type MercadoPagoApi = ReturnType<typeof createApi>;

export function createApi(settings: MercadoPagoSettings) {
  const base = baseOf(settings.apiUrl);
  return {
    async get<T>(
      path: string,
      params: Readonly<Record<string, string>>,
      schema: z.ZodType<T>,
      token: string,
      call: Call,
    ): Promise<T> {
      const url = `${base}${path}?${new URLSearchParams(params)}`;
      const headers = { authorization: `Bearer ${token}`, accept: 'application/json' };
      return (await requestJson({ method: 'GET', url, headers }, schema, call, (answer) => faultOf(answer, call.now)))
        .body;
    },
  };
}

const Refusal = z.object({
  error: z.string().optional().catch(undefined),
  message: z.string().optional().catch(undefined),
});

function faultOf({ status, headers, text }: ProviderAnswer, now: Date): ProviderFault {
  const { error, message } = Refusal.safeParse(readJson(text)).data ?? {};
  return new ProviderFault({
    verdict: verdictOf(status),
    code: error ?? `http_${status}`,
    says: message ?? `HTTP ${status}`,
    retryAfterMs: retryAfterMs(headers, now),
  });
}
