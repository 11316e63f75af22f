import type { EntityLevel, MarketingChannel } from '@tributary/vocabulary';

/** Campaign tags in links. Together with sites/, the source of docs/channels.md. */

export interface Medium {
  /** Values of utm_medium, compared in lower case, without spaces, hyphens and underscores. */
  readonly words: readonly string[];
  /** A channel, or that the source was paid or organic, of any kind. */
  readonly means: MarketingChannel | 'paid' | 'organic';
  /** The channel of a `paid` or `organic` medium with an unknown source. */
  readonly otherwise?: MarketingChannel;
}

export const media: readonly Medium[] = [
  {
    words: [
      'cpc',
      'ppc',
      'cpa',
      'cpl',
      'cpi',
      'cpe',
      'paid',
      'paidads',
      'paidmedia',
      'ad',
      'ads',
      'pago',
      'pagado',
      'pauta',
      'pmax',
      'performancemax',
    ],
    means: 'paid',
    otherwise: 'unknown',
  },
  { words: ['cpm', 'retargeting', 'remarketing'], means: 'paid', otherwise: 'display' },
  { words: ['organic', 'organico'], means: 'organic', otherwise: 'organic_search' },
  { words: ['paidsearch', 'searchads', 'sem', 'searchpaid', 'searchcpc', 'cpcsearch'], means: 'paid_search' },
  { words: ['seo', 'organicsearch', 'search'], means: 'organic_search' },
  {
    words: ['paidsocial', 'socialpaid', 'socialads', 'socialad', 'socialcpc', 'cpcsocial', 'paidsocialmedia'],
    means: 'paid_social',
  },
  {
    words: [
      'social',
      'organicsocial',
      'socialorganic',
      'socialnetwork',
      'socialmedia',
      'sm',
      'post',
      'story',
      'stories',
      'bio',
      'linkinbio',
      'reel',
      'reels',
      'redessociales',
      'rrss',
    ],
    means: 'organic_social',
  },
  { words: ['paidvideo', 'videoads', 'videoad', 'cpv', 'trueview', 'instream', 'ctv'], means: 'paid_video' },
  { words: ['video', 'organicvideo'], means: 'organic_video' },
  {
    words: [
      'display',
      'displayads',
      'banner',
      'banners',
      'gdn',
      'programmatic',
      'native',
      'interstitial',
      'expandable',
      'demandgen',
    ],
    means: 'display',
  },
  {
    words: ['shopping', 'shoppingads', 'paidshopping', 'pla', 'productlisting', 'marketplace', 'feed', 'productsync'],
    means: 'shopping',
  },
  { words: ['email', 'mail', 'newsletter', 'mailing', 'correo', 'emailmarketing', 'edm', 'boletin'], means: 'email' },
  { words: ['sms', 'mms', 'rcs', 'text', 'textmessage'], means: 'sms' },
  {
    words: [
      'whatsapp',
      'wa',
      'messaging',
      'message',
      'messenger',
      'telegram',
      'chat',
      'dm',
      'push',
      'webpush',
      'notification',
      'pushnotification',
    ],
    means: 'messaging',
  },
  {
    words: [
      'affiliate',
      'affiliates',
      'afiliado',
      'afiliados',
      'aff',
      'partner',
      'partners',
      'influencer',
      'influencers',
    ],
    means: 'affiliate',
  },
  { words: ['referral', 'referrer', 'link', 'app', 'referido'], means: 'referral' },
  { words: ['ai', 'llm', 'aiassistant', 'aichat', 'chatbot'], means: 'ai_assistant' },
];

export interface ClickId {
  readonly parameter: string;
  /**
   * The site of channel-table.ts that adds the parameter to its links. Absent: it identifies the browser, not the
   * source.
   */
  readonly site?: string;
  /** Whether only ads have it. Some sites add theirs to every link. */
  readonly isAd: boolean;
}

/** Strongest evidence first. All of them are personal data: the values never leave the collector in plain text. */
export const clickIds: readonly ClickId[] = [
  { parameter: 'gclid', site: 'google', isAd: true },
  { parameter: 'gbraid', site: 'google', isAd: true },
  { parameter: 'wbraid', site: 'google', isAd: true },
  { parameter: 'msclkid', site: 'bing', isAd: true },
  { parameter: 'ttclid', site: 'tiktok', isAd: true },
  { parameter: 'ctwa_clid', site: 'facebook', isAd: true },
  { parameter: 'dclid', site: 'google_display', isAd: true },
  { parameter: 'yclid', site: 'yandex', isAd: true },
  { parameter: 'twclid', site: 'x', isAd: true },
  { parameter: 'li_fat_id', site: 'linkedin', isAd: true },
  { parameter: 'sccid', site: 'snapchat', isAd: true },
  { parameter: 'rdt_cid', site: 'reddit', isAd: true },
  { parameter: 'qclid', site: 'quora', isAd: true },
  { parameter: 'tblci', site: 'taboola', isAd: true },
  { parameter: 'dicbo', site: 'outbrain', isAd: true },
  { parameter: 'obclid', site: 'outbrain', isAd: true },
  { parameter: 'awc', site: 'awin', isAd: true },
  { parameter: 'cjevent', site: 'cj', isAd: true },
  { parameter: 'irclickid', site: 'impact', isAd: true },
  { parameter: 'ransiteid', site: 'rakuten', isAd: true },
  { parameter: 'fbclid', site: 'facebook', isAd: false },
  { parameter: 'igshid', site: 'instagram', isAd: false },
  { parameter: 'igsh', site: 'instagram', isAd: false },
  { parameter: 'epik', site: 'pinterest', isAd: false },
  { parameter: 'srsltid', site: 'google_shopping', isAd: false },
  { parameter: 'mc_eid', site: 'mailchimp', isAd: false },
  { parameter: '_kx', site: 'klaviyo', isAd: false },
  { parameter: '_hsenc', site: 'hubspot_email', isAd: false },
  { parameter: '_hsmi', site: 'hubspot_email', isAd: false },
  { parameter: 'mkt_tok', site: 'email', isAd: false },
  { parameter: 'vero_id', site: 'email', isAd: false },
  { parameter: 'ck_subscriber_id', site: 'email', isAd: false },
  { parameter: 'oly_enc_id', site: 'email', isAd: false },
  { parameter: 'fbc', isAd: false },
  { parameter: 'fbp', isAd: false },
];

export const utmParameters = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content', 'utm_id'] as const;

export interface IdParameter {
  readonly parameter: string;
  readonly level: EntityLevel;
  /**
   * A free-text tag in which some accounts put the id: only a long number counts as an id, and its presence does not
   * indicate an ad.
   */
  readonly isFreeText?: true;
}

/** Parameters with the platform's own ids. For each level the first parameter with an id counts. */
export const idParameters: readonly IdParameter[] = [
  { parameter: 'gad_campaignid', level: 'campaign' },
  { parameter: 'hsa_cam', level: 'campaign' },
  { parameter: 'campaign_id', level: 'campaign' },
  { parameter: 'campaignid', level: 'campaign' },
  { parameter: 'utm_campaign_id', level: 'campaign' },
  { parameter: 'utm_id', level: 'campaign', isFreeText: true },
  { parameter: 'utm_campaign', level: 'campaign', isFreeText: true },
  { parameter: 'hsa_grp', level: 'ad_set' },
  { parameter: 'adset_id', level: 'ad_set' },
  { parameter: 'adsetid', level: 'ad_set' },
  { parameter: 'adgroup_id', level: 'ad_set' },
  { parameter: 'adgroupid', level: 'ad_set' },
  { parameter: 'ad_group_id', level: 'ad_set' },
  { parameter: 'utm_adset_id', level: 'ad_set' },
  { parameter: 'utm_adset', level: 'ad_set', isFreeText: true },
  { parameter: 'utm_term', level: 'ad_set', isFreeText: true },
  { parameter: 'hsa_ad', level: 'ad' },
  { parameter: 'ad_id', level: 'ad' },
  { parameter: 'adid', level: 'ad' },
  { parameter: 'creative', level: 'ad' },
  { parameter: 'creative_id', level: 'ad' },
  { parameter: 'utm_ad_id', level: 'ad' },
  { parameter: 'utm_ad', level: 'ad', isFreeText: true },
  { parameter: 'utm_content', level: 'ad', isFreeText: true },
];

/**
 * Further tags that describe the campaign and contain no personal data; a long number in them is not a phone number.
 */
export const furtherCampaignParameters: readonly string[] = [
  'utm_source_platform',
  'utm_creative_format',
  'utm_marketing_tactic',
  'utm_placement',
  'utm_campaign_name',
  'gad_source',
  'gclsrc',
  'hsa_acc',
  'hsa_net',
  'hsa_src',
  'hsa_tgt',
  'hsa_kw',
  'hsa_mt',
  'hsa_ver',
  'campaign_name',
  'adset_name',
  'ad_name',
  'placement',
  'matchtype',
  'targetid',
  'feeditemid',
  'loc_physical_ms',
  'loc_interest_ms',
  'mc_cid',
];
