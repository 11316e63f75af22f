import type { AdPlatform, MarketingChannel } from '@tributary/vocabulary';

/**
 * How a visit is understood, as data. To teach the product a search engine, a payment page or a tag, add one line here;
 * docs/channels.md is made from it. channels.ts reads it and says in which order the evidence counts.
 *
 * Hosts are written without `www.` and stand for their subdomains too, unless a longer one has a line of its own
 * (mail.google.com is not google.com). Words are compared in small letters, without blanks, hyphens and underscores.
 */

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

export const sites: readonly Site[] = [
  // Search
  {
    name: 'google',
    kind: 'search',
    platform: 'search_ads',
    countryHosts: ['google'],
    hosts: ['googleadservices.com'],
    apps: ['com.google.android.googlequicksearchbox', 'com.google.android.launcher', 'com.android.chrome'],
    words: ['googleads', 'adwords', 'googlesearch', 'googleadwords', 'pmax', 'gads'],
  },
  {
    name: 'bing',
    kind: 'search',
    platform: 'microsoft',
    hosts: ['bing.com'],
    apps: ['com.microsoft.bing'],
    words: ['bingads', 'microsoft', 'microsoftads'],
  },
  {
    name: 'duckduckgo',
    kind: 'search',
    hosts: ['duckduckgo.com'],
    apps: ['com.duckduckgo.mobile.android'],
    words: ['ddg'],
  },
  {
    name: 'yahoo',
    kind: 'search',
    hosts: ['search.yahoo.com', 'yahoo.com', 'yahoo.co.jp', 'r.search.yahoo.com'],
    words: ['yahoosearch'],
  },
  {
    name: 'yandex',
    kind: 'search',
    platform: 'yandex',
    countryHosts: ['yandex'],
    hosts: ['ya.ru'],
    apps: ['ru.yandex.searchplugin'],
    words: ['yandexdirect'],
  },
  { name: 'baidu', kind: 'search', hosts: ['baidu.com'], apps: ['com.baidu.searchbox'] },
  { name: 'ecosia', kind: 'search', hosts: ['ecosia.org'], apps: ['com.ecosia.android'] },
  { name: 'brave', kind: 'search', hosts: ['search.brave.com'], words: ['bravesearch'] },
  { name: 'qwant', kind: 'search', hosts: ['qwant.com'] },
  { name: 'startpage', kind: 'search', hosts: ['startpage.com'] },
  { name: 'kagi', kind: 'search', hosts: ['kagi.com'] },
  { name: 'mojeek', kind: 'search', hosts: ['mojeek.com'] },
  { name: 'swisscows', kind: 'search', hosts: ['swisscows.com'] },
  { name: 'naver', kind: 'search', hosts: ['search.naver.com'] },
  { name: 'daum', kind: 'search', hosts: ['search.daum.net'] },
  { name: 'seznam', kind: 'search', hosts: ['search.seznam.cz', 'seznam.cz'] },
  { name: 'sogou', kind: 'search', hosts: ['sogou.com'] },
  { name: 'so360', kind: 'search', hosts: ['so.com'] },
  { name: 'aol', kind: 'search', hosts: ['search.aol.com'] },
  { name: 'ask', kind: 'search', hosts: ['ask.com'] },

  // Social
  {
    name: 'facebook',
    kind: 'social',
    platform: 'social_ads',
    hosts: ['facebook.com', 'fb.com', 'fb.me'],
    apps: ['com.facebook.katana', 'com.facebook.lite'],
    words: ['fb', 'facebookads', 'meta', 'metaads', 'an', 'audiencenetwork', 'fbads'],
  },
  {
    name: 'instagram',
    kind: 'social',
    platform: 'social_ads',
    hosts: ['instagram.com', 'ig.me'],
    apps: ['com.instagram.android', 'com.instagram.lite'],
    words: ['ig', 'insta', 'instagramads', 'igshopping'],
  },
  {
    name: 'threads',
    kind: 'social',
    platform: 'social_ads',
    hosts: ['threads.net', 'threads.com'],
    apps: ['com.instagram.barcelona'],
    words: ['th'],
  },
  {
    name: 'tiktok',
    kind: 'social',
    platform: 'tiktok',
    hosts: ['tiktok.com', 'tiktokv.com'],
    apps: ['com.zhiliaoapp.musically', 'com.ss.android.ugc.trill'],
    words: ['tt', 'tiktokads', 'tik tok'],
  },
  {
    name: 'x',
    kind: 'social',
    platform: 'x',
    hosts: ['x.com', 'twitter.com', 't.co'],
    apps: ['com.twitter.android'],
    words: ['twitter', 'xads', 'twitterads'],
  },
  {
    name: 'linkedin',
    kind: 'social',
    platform: 'linkedin',
    hosts: ['linkedin.com', 'lnkd.in'],
    apps: ['com.linkedin.android'],
    words: ['li', 'linkedinads'],
  },
  {
    name: 'pinterest',
    kind: 'social',
    platform: 'pinterest',
    countryHosts: ['pinterest'],
    hosts: ['pin.it'],
    apps: ['com.pinterest'],
    words: ['pinterestads'],
  },
  {
    name: 'reddit',
    kind: 'social',
    platform: 'reddit',
    hosts: ['reddit.com', 'redd.it'],
    apps: ['com.reddit.frontpage'],
    words: ['redditads'],
  },
  {
    name: 'snapchat',
    kind: 'social',
    platform: 'snapchat',
    hosts: ['snapchat.com'],
    apps: ['com.snapchat.android'],
    words: ['snap', 'snapads'],
  },
  {
    name: 'bluesky',
    kind: 'social',
    hosts: ['bsky.app', 'bsky.social'],
    apps: ['xyz.blueskyweb.app'],
    words: ['bsky'],
  },
  {
    name: 'mastodon',
    kind: 'social',
    hosts: ['mastodon.social', 'mastodon.online', 'mas.to', 'mstdn.social', 'fosstodon.org', 'hachyderm.io'],
    apps: ['org.joinmastodon.android'],
  },
  { name: 'quora', kind: 'social', platform: 'quora', hosts: ['quora.com'] },
  { name: 'tumblr', kind: 'social', hosts: ['tumblr.com'] },
  { name: 'vk', kind: 'social', platform: 'vk', hosts: ['vk.com', 'vk.ru'] },
  { name: 'weibo', kind: 'social', hosts: ['weibo.com', 'weibo.cn'] },
  { name: 'nextdoor', kind: 'social', hosts: ['nextdoor.com'] },
  { name: 'hackernews', kind: 'social', hosts: ['news.ycombinator.com'] },
  { name: 'linktree', kind: 'social', hosts: ['linktr.ee'] },

  // Video
  {
    name: 'youtube',
    kind: 'video',
    platform: 'search_ads',
    hosts: ['youtube.com', 'youtu.be', 'youtube-nocookie.com'],
    apps: ['com.google.android.youtube'],
    words: ['yt', 'youtubeads'],
  },
  { name: 'vimeo', kind: 'video', hosts: ['vimeo.com'] },
  { name: 'twitch', kind: 'video', hosts: ['twitch.tv'], apps: ['tv.twitch.android.app'] },
  { name: 'dailymotion', kind: 'video', hosts: ['dailymotion.com'] },
  { name: 'kick', kind: 'video', hosts: ['kick.com'] },
  { name: 'rumble', kind: 'video', hosts: ['rumble.com'] },

  // Mailboxes and senders
  {
    name: 'gmail',
    kind: 'email',
    hosts: ['mail.google.com', 'inbox.google.com'],
    apps: ['com.google.android.gm', 'com.google.android.gm.lite'],
  },
  {
    name: 'outlook',
    kind: 'email',
    hosts: ['outlook.live.com', 'outlook.office.com', 'outlook.office365.com', 'outlook.com', 'mail.live.com'],
    apps: ['com.microsoft.office.outlook'],
  },
  {
    name: 'yahoo_mail',
    kind: 'email',
    hosts: ['mail.yahoo.com', 'mail.yahoo.co.jp'],
    apps: ['com.yahoo.mobile.client.android.mail'],
  },
  { name: 'icloud_mail', kind: 'email', hosts: ['icloud.com'] },
  { name: 'proton_mail', kind: 'email', hosts: ['mail.proton.me', 'mail.protonmail.com'] },
  { name: 'zoho_mail', kind: 'email', hosts: ['mail.zoho.com'] },
  { name: 'aol_mail', kind: 'email', hosts: ['mail.aol.com'] },
  { name: 'gmx', kind: 'email', hosts: ['gmx.net', 'gmx.com'] },
  { name: 'fastmail', kind: 'email', hosts: ['fastmail.com'] },
  { name: 'yandex_mail', kind: 'email', hosts: ['mail.yandex.ru', 'mail.yandex.com'] },
  { name: 'email', kind: 'email', words: ['newsletter', 'mail', 'mailing', 'correo', 'boletin', 'edm'] },
  { name: 'mailchimp', kind: 'email', hosts: ['list-manage.com', 'mailchimp.com', 'campaign-archive.com'] },
  { name: 'klaviyo', kind: 'email', hosts: ['klaviyo.com', 'klclick.com', 'klclick1.com'] },
  { name: 'hubspot_email', kind: 'email', words: ['hsemail', 'hsautomation'] },
  { name: 'brevo', kind: 'email', hosts: ['brevo.com', 'sendibt2.com', 'sendibt3.com'], words: ['sendinblue'] },
  { name: 'sendgrid', kind: 'email', hosts: ['sendgrid.net', 'sendgrid.com'] },
  { name: 'sms', kind: 'sms', words: ['textmessage', 'mms', 'rcs'] },

  // Chats
  {
    name: 'whatsapp',
    kind: 'messaging',
    platform: 'social_ads',
    hosts: ['whatsapp.com', 'wa.me'],
    apps: ['com.whatsapp', 'com.whatsapp.w4b'],
    words: ['wa', 'wsp', 'wapp', 'whatsappbusiness'],
  },
  {
    name: 'messenger',
    kind: 'messaging',
    platform: 'social_ads',
    hosts: ['messenger.com', 'm.me'],
    apps: ['com.facebook.orca'],
    words: ['msg', 'fbmessenger', 'facebookmessenger'],
  },
  {
    name: 'telegram',
    kind: 'messaging',
    hosts: ['t.me', 'telegram.org', 'telegram.me'],
    apps: ['org.telegram.messenger'],
    words: ['tg'],
  },
  { name: 'discord', kind: 'messaging', hosts: ['discord.com', 'discord.gg', 'discordapp.com'], apps: ['com.discord'] },
  { name: 'slack', kind: 'messaging', hosts: ['slack.com'], apps: ['com.slack'] },
  {
    name: 'teams',
    kind: 'messaging',
    hosts: ['teams.microsoft.com', 'statics.teams.cdn.office.net'],
    apps: ['com.microsoft.teams'],
  },
  { name: 'line', kind: 'messaging', hosts: ['line.me'], apps: ['jp.naver.line.android'] },
  { name: 'wechat', kind: 'messaging', hosts: ['weixin.qq.com'], apps: ['com.tencent.mm'], words: ['weixin'] },
  {
    name: 'google_messages',
    kind: 'messaging',
    hosts: ['messages.google.com'],
    apps: ['com.google.android.apps.messaging'],
  },

  // AI assistants
  {
    name: 'chatgpt',
    kind: 'ai',
    hosts: ['chatgpt.com', 'chat.openai.com', 'openai.com'],
    apps: ['com.openai.chatgpt'],
  },
  { name: 'perplexity', kind: 'ai', hosts: ['perplexity.ai'], apps: ['ai.perplexity.app.android'] },
  {
    name: 'gemini',
    kind: 'ai',
    hosts: ['gemini.google.com', 'bard.google.com', 'aistudio.google.com', 'notebooklm.google.com'],
    apps: ['com.google.android.apps.bard'],
  },
  {
    name: 'copilot',
    kind: 'ai',
    hosts: ['copilot.microsoft.com', 'copilot.cloud.microsoft', 'm365.cloud.microsoft'],
    apps: ['com.microsoft.copilot'],
  },
  { name: 'claude', kind: 'ai', hosts: ['claude.ai', 'claude.com'], apps: ['com.anthropic.claude'] },
  { name: 'grok', kind: 'ai', hosts: ['grok.com', 'grok.x.com', 'x.ai'], apps: ['ai.x.grok'] },
  { name: 'deepseek', kind: 'ai', hosts: ['deepseek.com'], apps: ['com.deepseek.chat'] },
  { name: 'mistral', kind: 'ai', hosts: ['chat.mistral.ai', 'mistral.ai'], words: ['lechat'] },
  { name: 'meta_ai', kind: 'ai', hosts: ['meta.ai'] },
  { name: 'you', kind: 'ai', hosts: ['you.com'] },
  { name: 'poe', kind: 'ai', hosts: ['poe.com'] },
  { name: 'phind', kind: 'ai', hosts: ['phind.com'] },
  { name: 'kimi', kind: 'ai', hosts: ['kimi.com', 'kimi.moonshot.cn'] },
  { name: 'qwen', kind: 'ai', hosts: ['chat.qwen.ai', 'qwen.ai'] },
  { name: 'duck_ai', kind: 'ai', hosts: ['duck.ai'] },
  { name: 'huggingchat', kind: 'ai', hosts: ['huggingface.co'] },

  // Shops
  {
    name: 'google_shopping',
    kind: 'shopping',
    hosts: ['shopping.google.com'],
    words: ['googleshopping', 'merchantcenter'],
  },
  {
    name: 'amazon',
    kind: 'shopping',
    platform: 'amazon',
    countryHosts: ['amazon'],
    hosts: ['amzn.to'],
    words: ['amazonads'],
  },
  { name: 'mercadolibre', kind: 'shopping', countryHosts: ['mercadolibre', 'mercadolivre'], words: ['meli'] },
  { name: 'ebay', kind: 'shopping', countryHosts: ['ebay'] },
  { name: 'aliexpress', kind: 'shopping', hosts: ['aliexpress.com'] },
  { name: 'etsy', kind: 'shopping', hosts: ['etsy.com'] },
  { name: 'walmart', kind: 'shopping', hosts: ['walmart.com'] },
  { name: 'falabella', kind: 'shopping', countryHosts: ['falabella'] },
  { name: 'ripley', kind: 'shopping', countryHosts: ['ripley'] },
  { name: 'solotodo', kind: 'shopping', hosts: ['solotodo.cl', 'solotodo.com'] },
  { name: 'knasta', kind: 'shopping', hosts: ['knasta.cl'] },
  { name: 'idealo', kind: 'shopping', countryHosts: ['idealo'] },
  { name: 'shop_app', kind: 'shopping', hosts: ['shop.app'], apps: ['com.shopify.arrive'] },

  // Ad networks on other sites
  {
    name: 'google_display',
    kind: 'display',
    platform: 'search_ads',
    hosts: ['doubleclick.net', 'googlesyndication.com', '2mdn.net'],
    words: ['gdn', 'doubleclick', 'dv360', 'googledisplay', 'demandgen'],
  },
  { name: 'taboola', kind: 'display', platform: 'taboola', hosts: ['taboola.com'] },
  { name: 'outbrain', kind: 'display', platform: 'outbrain', hosts: ['outbrain.com'] },
  { name: 'criteo', kind: 'display', platform: 'criteo', hosts: ['criteo.com', 'criteo.net'] },
  { name: 'adroll', kind: 'display', platform: 'adroll', hosts: ['adroll.com'] },
  { name: 'mgid', kind: 'display', platform: 'mgid', hosts: ['mgid.com'] },
  { name: 'teads', kind: 'display', platform: 'teads', hosts: ['teads.tv', 'teads.com'] },

  // Affiliate networks
  { name: 'awin', kind: 'affiliate', hosts: ['awin1.com', 'awin.com'] },
  {
    name: 'cj',
    kind: 'affiliate',
    hosts: ['anrdoezrs.net', 'dpbolvw.net', 'jdoqocy.com', 'kqzyfj.com', 'tkqlhce.com'],
    words: ['commissionjunction'],
  },
  { name: 'impact', kind: 'affiliate', hosts: ['sjv.io', 'pxf.io'], words: ['impactradius'] },
  { name: 'rakuten', kind: 'affiliate', hosts: ['linksynergy.com'] },
  { name: 'shareasale', kind: 'affiliate', hosts: ['shareasale.com'] },
  { name: 'soicos', kind: 'affiliate', hosts: ['soicos.com'] },
  { name: 'admitad', kind: 'affiliate', hosts: ['admitad.com'] },
  { name: 'hotmart', kind: 'affiliate', hosts: ['hotmart.com'] },

  // Subdomains of the above that are just sites
  {
    name: 'google_workspace',
    kind: 'plain',
    hosts: [
      'docs.google.com',
      'drive.google.com',
      'sites.google.com',
      'calendar.google.com',
      'classroom.google.com',
      'groups.google.com',
      'meet.google.com',
      'chat.google.com',
      'translate.google.com',
      'support.google.com',
    ],
  },
  { name: 'yahoo_sites', kind: 'plain', hosts: ['finance.yahoo.com', 'news.yahoo.com', 'sports.yahoo.com'] },
  { name: 'yandex_sites', kind: 'plain', hosts: ['disk.yandex.ru', 'metrika.yandex.ru', 'translate.yandex.ru'] },
];

export const siteByName: ReadonlyMap<string, Site> = new Map(sites.map((site) => [site.name, site]));
