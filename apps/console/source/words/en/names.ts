/** Who the channels of connections are, by the name that people know. */
export const providers = {
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

/** Names of the API whose own words would mislead; the others are read as they are: `paid_search` is "Paid search". */
export const names: Readonly<Record<string, string>> = {
  ...providers,
  match: 'Matched records of a sale',
  no_touch: 'No visit known',
  sms: 'SMS',
  linkedin: 'LinkedIn',
  tiktok: 'TikTok',
  vk: 'VK',
};
