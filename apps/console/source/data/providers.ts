import { words } from '../format.ts';

/** Who the channels of connections are, by the name that people know. */
const titles: Readonly<Record<string, string>> = {
  social_ads: 'Meta Ads',
  search_ads: 'Google Ads',
  search_console: 'Google Search Console',
  crm_a: 'HighLevel',
  payments_a: 'Stripe',
  payments_b: 'Mercado Pago',
  bank_link: 'Fintoc',
  store: 'Shopify',
  chatbot: 'ManyChat',
};

export const providerTitle = (channel: string): string => titles[channel] ?? words(channel);
