import type { AdPlatform, MarketingChannel } from '@tributary/vocabulary';

/** The kinds of sites, and the channel of a visit from each, organic and paid. */
export const siteKinds = {
  search: { organic: 'organic_search', paid: 'paid_search' },
  social: { organic: 'organic_social', paid: 'paid_social' },
  video: { organic: 'organic_video', paid: 'paid_video' },
  shopping: { organic: 'shopping', paid: 'shopping' },
  email: { organic: 'email', paid: 'email' },
  sms: { organic: 'sms', paid: 'sms' },
  messaging: { organic: 'messaging', paid: 'messaging' },
  ai: { organic: 'ai_assistant', paid: 'ai_assistant' },
  display: { organic: 'display', paid: 'display' },
  affiliate: { organic: 'affiliate', paid: 'affiliate' },
  /** Subdomains of the above that are ordinary sites. */
  plain: { organic: 'referral', paid: 'unknown' },
} as const satisfies Record<string, { organic: MarketingChannel; paid: MarketingChannel }>;

export interface Site {
  /** The value of `source`. */
  readonly name: string;
  readonly kind: keyof typeof siteKinds;
  /** The ad platform of its ads. */
  readonly platform?: AdPlatform;
  readonly hosts?: readonly string[];
  /** Names with a domain in every country: `google` is google.cl, google.co.uk, google.com.ar and so on. */
  readonly countryHosts?: readonly string[];
  /** Android packages, which appear as android-app:// referrers. */
  readonly apps?: readonly string[];
  /** Values of utm_source besides the name and the hosts. */
  readonly words?: readonly string[];
}
