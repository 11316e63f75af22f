import { completeConsent, type Sandbox } from '@tributary/sandbox';
import type { TestApi } from '@tributary/testkit';
import type { Channel, HandoffProvider } from '@tributary/vocabulary';
import { openBrowser } from '../../domain/advertising/handoffs/handoffs.fixture.ts';

interface Tools {
  readonly api: TestApi;
  readonly sandbox: Sandbox;
  readonly profile: { readonly id: string };
  // biome-ignore lint/suspicious/noExplicitAny: responses of the API are not typed here.
  call(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<any>;
  now(): Date;
}

export const location = 'locSantiago';
export const storeDomain = 'sandbox-shop.myshopify.com';

/** Connects each provider as the shop's owner does, for the first time or after its consent was lost. */
export function connectAll({ api, sandbox, call }: Tools) {
  const ids = new Map<Channel, string>();
  const { book } = sandbox;
  const accountOf: Readonly<Record<HandoffProvider, () => string | undefined>> = {
    social_ads: () => book.meta.state.accounts[0]?.id,
    search_ads: () => book.google.state.customers[0]?.id,
    search_console: () => 'https://shop.example/',
    crm_a: () => location,
    payments_a: () => undefined,
    payments_b: () => undefined,
  };

  /** Consents on the page of the provider, and chooses an account if it offers several. */
  async function consent(provider: HandoffProvider): Promise<string> {
    const handoff = (await call('POST', `/connections/${provider}/handoff`, {})).data;
    const browser = openBrowser(api);
    const { to: consentUrl = '' } = await browser.open(handoff.start_url);
    const account = accountOf[provider]();
    const answer = await completeConsent(consentUrl, account === undefined ? {} : { accounts: [account] });
    const callback = new URL(new URL(consentUrl).searchParams.get('redirect_uri') ?? '');
    callback.search = new URLSearchParams(answer).toString();
    await browser.open(callback.href);
    const { result } = (await call('GET', `/handoffs/${handoff.id}`)).data;
    if (result.connection_id) return result.connection_id;
    const chosen = { candidate_id: account };
    return (await call('POST', `/connections/pending/${provider}/finalize`, chosen)).data.connection_id;
  }

  const connect: Readonly<Record<Channel, () => Promise<string>>> = {
    social_ads: () => consent('social_ads'),
    search_ads: () => consent('search_ads'),
    search_console: () => consent('search_console'),
    crm_a: () => consent('crm_a'),
    payments_a: () => consent('payments_a'),
    payments_b: () => consent('payments_b'),
    async bank_link() {
      const path = '/integrations/bank-link/link';
      const started = (await call('POST', `${path}/start`)).data;
      const token = book.fintoc.endWidget(started.widget_token);
      const linked = (await call('POST', `${path}/connect`, { exchange_token: token })).data;
      return linked[0].id;
    },
    async store() {
      const access_token = book.shopify.tokens.get(storeDomain);
      const made = (
        await call('POST', '/integrations/store/manual-connections', { shop_domain: storeDomain, access_token })
      ).data;
      await call('PATCH', `/integrations/store/manual-connections/${made.id}`, {
        webhook_signing_id: 'year-signing-id',
      });
      return made.id;
    },
    async chatbot() {
      const [api_key] = [...book.manychat.keys.keys()];
      return (await call('POST', '/integrations/chatbot/connection', { api_key })).data.id;
    },
  };

  return {
    ids,
    async connect(channel: Channel): Promise<void> {
      ids.set(channel, await connect[channel]());
    },
    /** The state of a connection and of its sync. */
    async read(channel: Channel): Promise<{
      status: string;
      sync: { state: string; last_error: string | null; last_success_at: string | null };
    }> {
      return (await call('GET', `/connections/${ids.get(channel)}`)).data;
    },
  };
}
