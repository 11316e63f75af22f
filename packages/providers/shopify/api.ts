import { z } from 'zod';
import type { Account, Call, ProviderAnswer } from '../provider.ts';
import { ProviderFault, type Verdict } from '../provider-fault.ts';
import { baseOf, requestJson, verdictOf } from '../request-json.ts';
import type { ShopifyCredentials } from './credentials.ts';

export interface ShopifySettings {
  /** https://{shop}, where {shop} stands for the store's domain. */
  readonly apiUrl: string;
  readonly apiVersion: string;
}

const Cost = z.object({
  requestedQueryCost: z.number(),
  throttleStatus: z.object({ currentlyAvailable: z.number(), restoreRate: z.number().positive() }),
});
const Answer = z.object({
  data: z.looseObject({}).nullish(),
  errors: z
    .array(z.object({ message: z.string(), extensions: z.object({ code: z.string().optional() }).optional() }))
    .optional(),
  extensions: z.object({ cost: Cost.optional().catch(undefined) }).optional(),
});

export type ShopifyApi = ReturnType<typeof createApi>;

/** The Admin API: one URL for all queries, and errors that come with a 200. */
export function createApi(settings: ShopifySettings) {
  return async (account: Account<ShopifyCredentials>, query: string, variables: object, call: Call) => {
    const { accessToken } = account.credentials;
    if (accessToken === null) {
      throw new ProviderFault({
        verdict: 'needs_action',
        code: 'no_access_token',
        says: 'The store has given no access token.',
      });
    }
    const url = `${baseOf(settings.apiUrl.replace('{shop}', account.externalId))}/admin/api/${settings.apiVersion}/graphql.json`;
    const headers = { 'x-shopify-access-token': accessToken, 'content-type': 'application/json' };
    const body = JSON.stringify({ query, variables });
    const { data, errors, extensions } = (
      await requestJson({ method: 'POST', url, headers, body }, Answer, call, faultOf)
    ).body;
    const [error] = errors ?? [];
    if (error) throw graphqlFault(error.message, error.extensions?.code, getBackoffMs(extensions?.cost));
    return { data: data ?? {}, waitMs: getBackoffMs(extensions?.cost) };
  };
}

/** The wait until the store's bucket holds enough points for the same query again. */
function getBackoffMs(cost: z.infer<typeof Cost> | undefined): number | undefined {
  if (!cost) return undefined;
  const { currentlyAvailable, restoreRate } = cost.throttleStatus;
  const missing = cost.requestedQueryCost - currentlyAvailable;
  return missing > 0 ? Math.ceil((missing / restoreRate) * 1_000) : undefined;
}

function graphqlFault(says: string, code = 'graphql_error', retryAfterMs?: number): ProviderFault {
  const verdicts: Readonly<Record<string, Verdict>> = { THROTTLED: 'wait', ACCESS_DENIED: 'needs_action' };
  const verdict = verdicts[code] ?? 'refused';
  return new ProviderFault({ verdict, code, says, ...(retryAfterMs !== undefined && { retryAfterMs }) });
}

/** A frozen or locked store answers 402 or 423 until it has been paid for and connected again. */
function faultOf({ status, text }: ProviderAnswer): ProviderFault {
  const verdict = status === 402 || status === 423 ? 'reconnect' : verdictOf(status);
  return new ProviderFault({ verdict, code: `http_${status}`, says: text.slice(0, 200) || `HTTP ${status}` });
}
