/** Every channel a visit can have, and what `medium` then says. */
export const marketingChannels = {
  paid_search: { medium: 'paid', meaning: 'An ad beside search results.' },
  organic_search: { medium: 'organic', meaning: 'A search result that nobody paid for.' },
  paid_social: { medium: 'paid', meaning: 'An ad in a social network.' },
  organic_social: { medium: 'organic', meaning: 'A post, a profile or a shared link in a social network.' },
  paid_video: { medium: 'paid', meaning: 'An ad before, in or beside a video.' },
  organic_video: { medium: 'organic', meaning: 'A link on a video site.' },
  display: { medium: 'paid', meaning: 'A banner or native ad on other sites.' },
  shopping: { medium: 'shopping', meaning: 'A marketplace, a price comparison or a product listing, paid or free.' },
  email: { medium: 'email', meaning: 'A newsletter or a message in a mailbox.' },
  sms: { medium: 'sms', meaning: 'A text message.' },
  messaging: { medium: 'messaging', meaning: 'WhatsApp, Telegram and other chats, and push notifications.' },
  affiliate: { medium: 'affiliate', meaning: 'A partner who is paid for results.' },
  referral: { medium: 'referral', meaning: 'A link on any other site.' },
  ai_assistant: { medium: 'ai_assistant', meaning: 'A link in the answer of an AI assistant.' },
  direct: { medium: 'none', meaning: 'No outside referrer, no campaign parameter, no click id.' },
  unknown: { medium: 'unknown', meaning: 'A campaign whose tags say nothing that this page lists.' },
} as const satisfies Record<string, { medium: string; meaning: string }>;

export type MarketingChannel = keyof typeof marketingChannels;
