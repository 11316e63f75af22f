import { z } from 'zod';
import type { Call, Provider, ProviderAnswer, Receive } from '../provider.ts';
import { ProviderFault, type Verdict } from '../provider-fault.ts';
import { readJson } from '../read-answer.ts';
import { baseOf, requestJson, verdictOf } from '../request-json.ts';
import { isTimelySigned } from '../signature.ts';
import { FintocCredentials } from './credentials.ts';
import { createSync, type FintocPosition } from './sync.ts';

export interface FintocSettings {
  readonly secretKey: string;
  readonly publicKey: string;
  /** https://api.fintoc.com */
  readonly apiUrl: string;
  /** https://js.fintoc.com/v1/ */
  readonly widgetUrl: string;
  /** Undefined: webhooks are not accepted. */
  readonly webhookSecret: string | undefined;
}

const Intent = z.object({ widget_token: z.string(), exchange_token_expires_at: z.string().nullish() });
const BankLink = z.object({
  id: z.string(),
  link_token: z.string(),
  institution: z.object({ id: z.string(), name: z.string(), country: z.string().nullish() }),
  accounts: z.array(
    z.object({ id: z.string(), name: z.string().nullish(), number: z.string().nullish(), currency: z.string() }),
  ),
});

export function createFintoc(settings: FintocSettings): Provider<FintocCredentials, FintocPosition> {
  const base = `${baseOf(settings.apiUrl)}/v1`;
  // The key is sent without "Bearer".
  const headers = { authorization: settings.secretKey, 'content-type': 'application/json' };
  const get = <T>(path: string, params: Record<string, string>, schema: z.ZodType<T>, call: Call) =>
    requestJson(
      { method: 'GET', url: `${base}${path}?${new URLSearchParams(params)}`, headers },
      schema,
      call,
      faultOf,
    );

  return {
    facts: { channel: 'bank_link', name: 'Fintoc' },
    credentials: FintocCredentials,
    link: {
      // The widget's script opens frames of webview.fintoc.com and wizard.fintoc.com.
      widget: { scriptUrl: settings.widgetUrl, sources: [new URL(settings.widgetUrl).origin, 'https://*.fintoc.com'] },
      async start({ country, holderType }, call) {
        const body = JSON.stringify({ product: 'movements', country, holder_type: holderType });
        const request = { method: 'POST', url: `${base}/link_intents`, headers, body } as const;
        const intent = (await requestJson(request, Intent, call, faultOf)).body;
        const expiresAt = intent.exchange_token_expires_at ?? null;
        return { widgetToken: intent.widget_token, publicKey: settings.publicKey, expiresAt };
      },
      async finish(exchangeToken, call) {
        const { body } = await get('/links/exchange', { exchange_token: exchangeToken }, BankLink, call);
        const { id: linkId, link_token: linkToken, institution, accounts } = body;
        return accounts.map(({ id, name, number, currency }) => ({
          externalId: id,
          // Only the last digits of the account number are stored: they are enough to tell accounts apart.
          name: [institution.name, name, number && `…${number.slice(-4)}`].filter(Boolean).join(' '),
          granted: ['movements'],
          details: { institution: institution.id, country: institution.country ?? 'cl', currency },
          credentials: { linkToken, linkId },
        }));
      },
    },
    sync: createSync(get),
    ...(settings.webhookSecret !== undefined && { receive: createReceive(settings.webhookSecret) }),
  };
}

const Refusal = z.object({
  error: z.object({ type: z.string().optional(), code: z.string().optional(), message: z.string().optional() }),
});

/** Verdicts by error type, which says more than the status. */
const verdicts: Readonly<Record<string, Verdict>> = {
  link_error: 'reconnect',
  institution_error: 'wait',
  api_error: 'wait',
  invalid_request_error: 'refused',
};

function faultOf({ status, text }: ProviderAnswer): ProviderFault {
  const { type, code, message } = Refusal.safeParse(readJson(text)).data?.error ?? {};
  const isMfa = code?.includes('mfa') ?? false;
  // An invalid secret key is the operator's problem; a new consent would not help.
  const verdict = isMfa ? 'needs_action' : status === 401 ? 'refused' : (verdicts[type ?? ''] ?? verdictOf(status));
  return new ProviderFault({ verdict, code: code ?? type ?? `http_${status}`, says: message ?? `HTTP ${status}` });
}

const Delivery = z.object({
  id: z.string(),
  type: z.string(),
  data: z.object({ refreshed_object_id: z.string().optional(), id: z.string().optional() }),
});

export const createReceive = (secret: string): Receive => ({
  verify: ({ headers, body }, now) => isTimelySigned(headers['fintoc-signature'], body, secret, now),
  read({ body }) {
    const delivery = Delivery.safeParse(readJson(Buffer.from(body).toString('utf8'))).data;
    const account = delivery?.data.refreshed_object_id;
    if (!delivery || !account?.startsWith('acc_')) return [];
    return [{ accountExternalId: account, deliveryId: delivery.id, about: 'changed' }];
  },
});
