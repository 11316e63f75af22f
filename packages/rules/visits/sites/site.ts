import type { AdPlatform, MarketingChannel } from '@tributary/vocabulary';

/** What kinds of site there are, and which channel a visit from one is, with and without an ad. */
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
  /** Sites that belong to one of the above by their host, but are just sites. */
  plain: { organic: 'referral', paid: 'unknown' },
} as const satisfies Record<string, { organic: MarketingChannel; paid: MarketingChannel }>;

export interface Site {
  /** What `source` then says. */
  readonly name: string;
  readonly kind: keyof typeof siteKinds;
  /** Whose ads they are. */
  readonly platform?: AdPlatform;
  readonly hosts?: readonly string[];
  /** Names with a domain in every country: `google` is google.cl, google.co.uk, google.com.ar and so on. */
  readonly countryHosts?: readonly string[];
  /** Android packages, which arrive as android-app:// referrers. */
  readonly apps?: readonly string[];
  /** What people write in utm_source, besides the name and the hosts. */
  readonly words?: readonly string[];
}
