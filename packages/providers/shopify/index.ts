import { z } from 'zod';
import { ask, baseOf, verdictOf } from '../ask.ts';
import type { Account, Call, Provider, ProviderAnswer } from '../provider.ts';
import { ProviderFault, type Verdict } from '../provider-fault.ts';
import { readAs } from '../read-answer.ts';
import { ShopifyCredentials } from './credentials.ts';
import { shopifyTells } from './tells.ts';

export interface ShopifySettings {
  /** https://{shop}, where {shop} stands for the store's domain. */
  readonly apiUrl: string;
  readonly apiVersion: string;
}

const Answer = z.object({
  data: z.looseObject({}).nullish(),
  errors: z
    .array(z.object({ message: z.string(), extensions: z.object({ code: z.string().optional() }).optional() }))
    .optional(),
});
const Written = z.object({
  webPixel: z.object({ id: z.string() }).nullish(),
  userErrors: z.array(z.object({ code: z.string().nullish(), message: z.string() })),
});

const create = `mutation webPixelCreate($webPixel: WebPixelInput!) {
  webPixelCreate(webPixel: $webPixel) { userErrors { code message } webPixel { id } }
}`;
const update = `mutation webPixelUpdate($id: ID!, $webPixel: WebPixelInput!) {
  webPixelUpdate(id: $id, webPixel: $webPixel) { userErrors { code message } webPixel { id } }
}`;
const find = 'query { webPixel { id } }';

export function createShopify(settings: ShopifySettings): Provider<ShopifyCredentials> {
  async function graphql(account: Account<ShopifyCredentials>, query: string, variables: object, call: Call) {
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
    const answer = (await ask({ method: 'POST', url, headers, body }, Answer, call, faultOf)).body;
    const [error] = answer.errors ?? [];
    if (error) throw graphqlFault(error.message, error.extensions?.code);
    return answer.data ?? {};
  }

  return {
    facts: { channel: 'store', name: 'Shopify', restatedDays: 0 },
    credentials: ShopifyCredentials,
    tells: shopifyTells,
    async installPixel(account, given, call) {
      const webPixel = { settings: JSON.stringify(given) };
      const made = readAs(
        Written,
        (await graphql(account, create, { webPixel }, call)).webPixelCreate,
        'webPixelCreate',
      );
      if (made.webPixel) return made.webPixel;
      if (made.userErrors.every(({ code }) => code !== 'TAKEN')) throw refusedBy(made.userErrors);
      const { id } = readAs(
        z.object({ id: z.string() }),
        (await graphql(account, find, {}, call)).webPixel,
        'webPixel',
      );
      const changed = (await graphql(account, update, { id, webPixel }, call)).webPixelUpdate;
      const { webPixel: pixel, userErrors } = readAs(Written, changed, 'webPixelUpdate');
      if (!pixel) throw refusedBy(userErrors);
      return pixel;
    },
  };
}

const refusedBy = ([error]: readonly { code?: string | null | undefined; message: string }[]): ProviderFault =>
  new ProviderFault({
    verdict: 'refused',
    code: error?.code ?? 'user_error',
    says: error?.message ?? 'It was not done.',
  });

function graphqlFault(says: string, code = 'graphql_error'): ProviderFault {
  const verdicts: Readonly<Record<string, Verdict>> = { THROTTLED: 'wait', ACCESS_DENIED: 'needs_action' };
  return new ProviderFault({ verdict: verdicts[code] ?? 'refused', code, says });
}

/** A frozen or locked store answers 402 or 423 until it is paid for and connected anew. */
function faultOf({ status, text }: ProviderAnswer): ProviderFault {
  const verdict = status === 402 || status === 423 ? 'reconnect' : verdictOf(status);
  return new ProviderFault({ verdict, code: `http_${status}`, says: text.slice(0, 200) || `HTTP ${status}` });
}
