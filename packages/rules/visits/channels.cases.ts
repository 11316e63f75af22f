import type { MarketingChannel } from '@tributary/vocabulary';

/** Cases of channel classification: the query of a landing page and a referrer, and the result. */
export interface ChannelCase {
  readonly title: string;
  readonly query?: string;
  readonly referrer?: string;
  readonly is: MarketingChannel;
  readonly source: string;
}

export const channelCases: readonly ChannelCase[] = [
  { title: 'nothing at all', is: 'direct', source: 'direct' },
  { title: 'a parameter that is not a campaign parameter', query: 'color=red', is: 'direct', source: 'direct' },
  { title: 'the own site', referrer: 'https://shop.example/cart', is: 'direct', source: 'direct' },
  { title: 'the own site with www', referrer: 'https://www.shop.example/', is: 'direct', source: 'direct' },
  { title: 'an own host of the settings', referrer: 'https://pages.own.example/', is: 'direct', source: 'direct' },
  {
    title: 'a host that only ends like the own host',
    referrer: 'https://notshop.example/',
    is: 'referral',
    source: 'notshop.example',
  },
  { title: 'another site', referrer: 'https://Blog.Example.org./post', is: 'referral', source: 'blog.example.org' },
  { title: 'an unparseable referrer', referrer: 'not an address', is: 'direct', source: 'direct' },

  { title: 'Google', referrer: 'https://www.google.com/', is: 'organic_search', source: 'google' },
  { title: 'Google of a country', referrer: 'https://www.google.cl/', is: 'organic_search', source: 'google' },
  {
    title: 'Google of a country with two labels',
    referrer: 'https://google.com.ar/',
    is: 'organic_search',
    source: 'google',
  },
  {
    title: 'a host with a label like Google',
    referrer: 'https://google.example.com/',
    is: 'referral',
    source: 'google.example.com',
  },
  {
    title: 'a domain that ends like Google',
    referrer: 'https://notgoogle.com/',
    is: 'referral',
    source: 'notgoogle.com',
  },
  { title: 'Google documents', referrer: 'https://docs.google.com/', is: 'referral', source: 'google_workspace' },
  {
    title: 'Google search on Android',
    referrer: 'android-app://com.google.android.googlequicksearchbox/',
    is: 'organic_search',
    source: 'google',
  },
  { title: 'Bing', referrer: 'https://www.bing.com/', is: 'organic_search', source: 'bing' },
  { title: 'DuckDuckGo', referrer: 'https://duckduckgo.com/', is: 'organic_search', source: 'duckduckgo' },
  { title: 'Yahoo of a country', referrer: 'https://cl.search.yahoo.com/', is: 'organic_search', source: 'yahoo' },
  { title: 'Yandex', referrer: 'https://yandex.com.tr/', is: 'organic_search', source: 'yandex' },
  { title: 'Brave', referrer: 'https://search.brave.com/', is: 'organic_search', source: 'brave' },

  { title: 'Facebook by its link shim', referrer: 'https://l.facebook.com/', is: 'organic_social', source: 'facebook' },
  { title: 'Instagram', referrer: 'https://l.instagram.com/', is: 'organic_social', source: 'instagram' },
  { title: 'X by its short links', referrer: 'https://t.co/abc', is: 'organic_social', source: 'x' },
  { title: 'LinkedIn by its short links', referrer: 'https://lnkd.in/', is: 'organic_social', source: 'linkedin' },
  { title: 'Netflix is not X', referrer: 'https://netflix.com/', is: 'referral', source: 'netflix.com' },
  { title: 'YouTube', referrer: 'https://m.youtube.com/', is: 'organic_video', source: 'youtube' },
  { title: 'a mailbox', referrer: 'https://mail.google.com/', is: 'email', source: 'gmail' },
  { title: 'a mailbox on Android', referrer: 'android-app://com.google.android.gm/', is: 'email', source: 'gmail' },
  { title: 'an assistant', referrer: 'https://chatgpt.com/', is: 'ai_assistant', source: 'chatgpt' },
  { title: 'an assistant that tags its links', query: 'utm_source=chatgpt.com', is: 'ai_assistant', source: 'chatgpt' },
  {
    title: 'an assistant below a search engine',
    referrer: 'https://gemini.google.com/',
    is: 'ai_assistant',
    source: 'gemini',
  },
  { title: 'a marketplace', referrer: 'https://articulo.mercadolibre.cl/', is: 'shopping', source: 'mercadolibre' },

  {
    title: 'a paid click on a search engine',
    query: 'utm_source=google&utm_medium=cpc',
    is: 'paid_search',
    source: 'google',
  },
  { title: 'a paid click on a network', query: 'utm_source=ig&utm_medium=cpc', is: 'paid_social', source: 'instagram' },
  { title: 'a paid click on a video', query: 'utm_source=youtube&utm_medium=cpc', is: 'paid_video', source: 'youtube' },
  {
    title: 'a paid click from an unknown source',
    query: 'utm_source=spring&utm_medium=cpc',
    is: 'unknown',
    source: 'spring',
  },
  {
    title: 'a paid click by CPM from an unknown source',
    query: 'utm_source=spring&utm_medium=cpm',
    is: 'display',
    source: 'spring',
  },
  {
    title: 'a medium with another spelling',
    query: 'utm_source=fb&utm_medium=Paid-Social',
    is: 'paid_social',
    source: 'facebook',
  },
  {
    title: 'organic by its tags',
    query: 'utm_source=facebook&utm_medium=social',
    is: 'organic_social',
    source: 'facebook',
  },
  { title: 'a newsletter', query: 'utm_source=newsletter&utm_medium=email', is: 'email', source: 'email' },
  { title: 'a text message', query: 'utm_medium=sms', is: 'sms', source: 'unknown' },
  { title: 'a chat', query: 'utm_source=whatsapp', is: 'messaging', source: 'whatsapp' },
  { title: 'a partner', query: 'utm_source=maria&utm_medium=affiliate', is: 'affiliate', source: 'maria' },
  { title: 'unknown tags', query: 'utm_source=flyer&utm_medium=paper', is: 'unknown', source: 'flyer' },
  {
    title: 'tags take precedence over the referrer',
    query: 'utm_source=flyer',
    referrer: 'https://www.google.com/',
    is: 'unknown',
    source: 'flyer',
  },
  {
    title: 'a campaign without a source',
    query: 'utm_campaign=x',
    referrer: 'https://www.google.com/',
    is: 'organic_search',
    source: 'google',
  },
  {
    title: 'unfilled macros',
    query: 'utm_source={{site_source_name}}&utm_campaign=__CID__',
    is: 'direct',
    source: 'direct',
  },
  { title: 'tags in the hash', query: '#utm_source=google&utm_medium=cpc', is: 'paid_search', source: 'google' },
  {
    title: 'ids that only ads have',
    query: 'utm_source=fb&ad_id=120210123456',
    is: 'paid_social',
    source: 'facebook',
  },
  { title: 'tags of HubSpot', query: 'hsa_net=adwords&hsa_cam=21234567890', is: 'paid_search', source: 'google' },

  { title: 'a click id of Google Ads', query: 'gclid=abc', is: 'paid_search', source: 'google' },
  { title: 'an empty click id', query: 'gclid=', is: 'direct', source: 'direct' },
  { title: 'a masked click id', query: 'gclid=~click', is: 'paid_search', source: 'google' },
  {
    title: 'a click id of an ad in a video',
    query: 'gclid=abc&utm_source=youtube&utm_medium=video',
    is: 'paid_video',
    source: 'youtube',
  },
  {
    title: 'a click id of an ad with the tags of a shop',
    query: 'gclid=abc&utm_medium=shopping',
    is: 'shopping',
    source: 'google',
  },
  {
    title: "an ad's click id takes precedence over old tags",
    query: 'gclid=abc&utm_source=newsletter&utm_medium=email',
    is: 'paid_search',
    source: 'google',
  },
  { title: 'a click id without a platform', query: 'awc=abc', is: 'affiliate', source: 'awin' },
  { title: 'a click id of TikTok', query: 'ttclid=abc', is: 'paid_social', source: 'tiktok' },
  { title: 'a click id that every link may have', query: 'fbclid=abc', is: 'organic_social', source: 'facebook' },
  {
    title: 'the same from Instagram',
    query: 'fbclid=abc',
    referrer: 'https://l.instagram.com/',
    is: 'organic_social',
    source: 'instagram',
  },
  { title: 'the same with tags of an ad', query: 'fbclid=abc&utm_medium=paid', is: 'paid_social', source: 'facebook' },
  { title: 'a click to a chat', query: 'ctwa_clid=abc', is: 'paid_social', source: 'facebook' },
  { title: 'an email with a click id', query: 'mc_eid=abc', is: 'email', source: 'mailchimp' },
  { title: 'only a browser id', query: 'fbp=abc', is: 'unknown', source: 'unknown' },
];
