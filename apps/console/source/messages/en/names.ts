/** The product names of connection channels. */
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

/** API names whose literal words would mislead; all others are derived: `paid_search` is "Paid search". */
export const names: Readonly<Record<string, string>> = {
  ...providers,
  match: 'Matched records of a sale',
  no_touch: 'No visit known',
  sms: 'SMS',
  // Why a connection was not made
  user_cancelled: 'The request was cancelled at the provider',
  provider_denied: 'The provider denied the request',
  provider_error: 'The provider reported an error',
  token_exchange_failed: 'The provider did not confirm the consent',
  account_connected_elsewhere: 'Another profile of the workspace is connected to this account',
  no_candidates: 'The consent opens no account',
  connect_failed: 'The connection could not be stored',
  state_expired: 'The consent took too long',
  state_invalid: 'The consent came back in another browser',
  handoff_expired: 'The link has expired',
  handoff_used: 'The link was used already',
  provider_not_configured: 'The operator has not set up this provider',
  origin_not_allowed: 'The address to return to is not allowed',
  linkedin: 'LinkedIn',
  tiktok: 'TikTok',
  vk: 'VK',
};
