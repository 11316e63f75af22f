import { namesOf } from './names-of.ts';

/** `unknown`: an event sent from a server has no device. */
export const devices = ['desktop', 'mobile', 'tablet', 'unknown'] as const;
export type Device = (typeof devices)[number];

/** The kinds of events that a browser reports. */
export const visitTypes = ['page_view', 'track', 'identify'] as const;
export type VisitType = (typeof visitTypes)[number];

/** The traits of a person that a browser may send. */
export const visitTraits = ['email', 'phone', 'external_id', 'first_name', 'last_name'] as const;
export type VisitTrait = (typeof visitTraits)[number];

/** Every channel of a visit, its `medium`, and whether the tags of an ad may name it. */
export const marketingChannels = {
  paid_search: { medium: 'paid', canBeAd: true, meaning: 'An ad beside search results.' },
  organic_search: { medium: 'organic', canBeAd: false, meaning: 'A search result that nobody paid for.' },
  paid_social: { medium: 'paid', canBeAd: true, meaning: 'An ad in a social network.' },
  organic_social: {
    medium: 'organic',
    canBeAd: false,
    meaning: 'A post, a profile or a shared link in a social network.',
  },
  paid_video: { medium: 'paid', canBeAd: true, meaning: 'An ad before, in or beside a video.' },
  organic_video: { medium: 'organic', canBeAd: false, meaning: 'A link on a video site.' },
  display: { medium: 'paid', canBeAd: true, meaning: 'A banner or native ad on other sites.' },
  shopping: {
    medium: 'shopping',
    canBeAd: true,
    meaning: 'A marketplace, a price comparison or a product listing, paid or free.',
  },
  email: { medium: 'email', canBeAd: false, meaning: 'A newsletter or a message in a mailbox.' },
  sms: { medium: 'sms', canBeAd: false, meaning: 'A text message.' },
  messaging: {
    medium: 'messaging',
    canBeAd: true,
    meaning: 'WhatsApp, Telegram and other chats, and push notifications.',
  },
  affiliate: { medium: 'affiliate', canBeAd: true, meaning: 'A partner who is paid for results.' },
  referral: { medium: 'referral', canBeAd: false, meaning: 'A link on any other site.' },
  ai_assistant: { medium: 'ai_assistant', canBeAd: false, meaning: 'A link in the answer of an AI assistant.' },
  direct: { medium: 'none', canBeAd: false, meaning: 'No outside referrer, no campaign parameter, no click id.' },
  unknown: { medium: 'unknown', canBeAd: false, meaning: 'A campaign whose tags say nothing that this page lists.' },
} as const satisfies Record<string, { medium: string; canBeAd: boolean; meaning: string }>;
export type MarketingChannel = keyof typeof marketingChannels;
export const marketingChannelNames = namesOf(marketingChannels);

/** Kinds of entries in a journey without personal data: what brought the customer, and what it led to. */
export const journeyEventKinds = ['visit', 'ad_referral', 'declared_source', 'synthetic', 'conversion'] as const;
export type JourneyEventKind = (typeof journeyEventKinds)[number];

/** The origin to which a profile's tracker sends visits. */
export const originKinds = ['custom_domain', 'collector'] as const;
export type OriginKind = (typeof originKinds)[number];

export const trackingDomainStatuses = ['pending', 'verified', 'failed'] as const;
export type TrackingDomainStatus = (typeof trackingDomainStatuses)[number];
/** DNS records that verify a domain. */
export const domainRecordTypes = ['CNAME', 'TXT'] as const;

export const verificationStatuses = ['pending', 'verified', 'expired'] as const;
export type VerificationStatus = (typeof verificationStatuses)[number];

/** Tables whose state GET /tracking/ops reports. */
export const watchedTables = ['visits', 'touches'] as const;
export type WatchedTable = (typeof watchedTables)[number];

/** Why the collector rejects visits of a known profile and only counts them. */
export const refusedVisits = {
  daily_quota: 'The profile had sent what its plan includes.',
  address_quota: 'One address had sent its share of that.',
  broken_quota: 'Visits that cannot be understood, beyond those that are kept.',
  consent: 'The profile requires a yes, and the request carried none.',
} as const;
export type RefusedReason = keyof typeof refusedVisits;
